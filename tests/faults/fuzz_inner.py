"""More targets of the fuzzer: what no person hands to the program, but a disk, a download or a server may."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.cli.event_writer import line_text
from companion.cli.main import main
from companion.game.evening import store_tally
from companion.game.history import load_history
from companion.game.replay import last_evening_games, replay
from companion.game.ruling_views import (
    effect_texts,
    newest_ruling,
    pick_ups_and_burns,
    ruling_of,
    ruling_text,
)
from companion.game.setup import GameSetup, stored_setup
from companion.game.starting import open_game, stored_layout
from companion.i18n.sentences import storable_ruling as written_ruling
from companion.store.store import Store
from companion.theme import VERDICT_SIGN, VERDICT_WORD
from engine.errors import BadInputError
from engine.files.json_text import parse_json
from engine.referee.referee import Referee
from engine.simulation.simulate import play_game
from tests.faults.fuzz_rtsp import read_pictures
from tests.faults.fuzz_running import FoundError, command, written
from vision.decks.deck import Deck
from vision.decks.deck_files import LEARNT_DECK, load_learnt_deck, save_deck
from vision.enrolment.online_learning import known_cards
from vision.recognition.classifier import load_fusion
from vision.recognition.detector import load_settings
from vision.recognition.index_detector import load_calibration
from vision.recognition.runtime import OnnxRuntimeNetwork

PLAYERS = ("Ann", "Bob", "Cat")
_AS_JSON = ("options", "players", "layout", "rituals_done")
_COLUMNS = ("started", "finished", "rules", "dealer", "loser", "source", *_AS_JSON)
_MOST_FRAMES = 12


def rows(data: bytes, folder: Path) -> None:
    """A sound file of SQLite's whose entries are others: gone on with, replayed, counted, said."""
    path = folder / "s.sqlite"
    with Store.open(path) as opened:
        opened.start_game("winnersh", PLAYERS, dealer="Ann")
    head, *lines = data.decode("utf-8", "replace").split("\n")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executemany("INSERT INTO events (game, written, line) VALUES (1, 1.0, ?)", zip(lines))
        with contextlib.suppress(ValueError):
            for name, value in _columns(parse_json(head)).items():
                with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
                    connection.execute(f"UPDATE games SET {name} = ?", (value,))
        connection.commit()
    with Store.open(path) as opened:
        opened.resumable_game()
        owed = store_tally(opened, all_evenings=True).rituals
        games = opened.games()
        for game in games:
            opened.mark_ritual(game.id, "Ann", "Library Boy", 2, done=True)
        for one in owed:
            opened.mark_ritual(one.game, one.player, one.title, one.number, done=one.done is None)
    if games:
        setup = stored_setup(games[0], store=path)
        history = load_history(setup)
        if history.game is not None and history.game.layout is not None:
            stored_layout(history.game.layout, None)
        by_hand = GameSetup(source=None, players=PLAYERS, dealer="Ann", store=path, resume=games[0].id)
        with contextlib.suppress(BadInputError):  # a line may be an event and not one of this game
            say(open_game(by_hand, history).lines)
        say(history.lines)
    for played in last_evening_games(path):
        say(played.lines)
        with contextlib.suppress(BadInputError):
            replay(played)


def _columns(head: Any) -> dict[str, Any]:
    """Return what is to stand in a game's columns."""
    found = (
        {name: value for name, value in head.items() if name in _COLUMNS} if isinstance(head, dict) else {}
    )
    as_json = {name: json.dumps(value) for name, value in found.items() if name in _AS_JSON}
    plain = {name: value for name, value in found.items() if isinstance(value, str | int | float | None)}
    return plain | as_json


def say(lines: Any) -> None:
    """Say what the screens would say of lines."""
    newest_ruling(lines)
    pick_ups_and_burns(lines)
    for line in lines:
        line_text(line).encode()
        ruling = ruling_of(line)
        if ruling is not None:
            verdict = str(ruling.get("verdict") or "legal")
            f"{VERDICT_SIGN[verdict]} {VERDICT_WORD[verdict]} {ruling_text(ruling)}".encode()
            "".join(effect_texts(ruling.get("effects") or {})).encode()


def learnt(data: bytes, folder: Path) -> None:
    written(folder, f"{LEARNT_DECK}.npz", data)
    found = load_learnt_deck(folder)
    if found is not None:
        known_cards(found)


def outline_facts(data: bytes, folder: Path) -> None:
    facts = load_settings(written(folder, "facts.json", data))
    if not np.isfinite(facts.calibration).all() or facts.input_size > 1 << 13:
        raise FoundError(str(facts))


def index_calibration(data: bytes, folder: Path) -> None:
    if not np.isfinite(load_calibration(written(folder, "calibration.json", data))).all():
        raise FoundError("not a number")


def face_fusion(data: bytes, folder: Path) -> None:
    fusion = load_fusion(written(folder, "fusion.json", data))
    if not np.isfinite(np.hstack([getattr(fusion, name) for name in type(fusion).__slots__])).all():
        raise FoundError("not a number")


def network(data: bytes, folder: Path) -> None:
    loaded = OnnxRuntimeNetwork(written(folder, "network.onnx", data), threads=1)
    loaded.run(np.ones((1, 3, 8, 8), np.float32))


def stream(data: bytes, folder: Path) -> None:
    """A server that answers with anything: its own header first, then pictures or not."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with contextlib.suppress(OSError):
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.timeout = 5
        threading.Thread(target=server.handle_request, daemon=True).start()
        read_pictures(f"http://127.0.0.1:{server.server_port}/video")


def results(data: bytes, folder: Path) -> None:
    """A line of the input for each file that commands write."""
    parts = data.split(b"\n")
    for name, part in zip(
        ("films.json", "photos.jsonl", "soak.json", "benchmarks.jsonl"), parts, strict=False
    ):
        if part:
            written(folder, name, part)
    written(folder, "soak.png", b"")
    command("results", "--folder", str(folder), "--out", str(folder / "page.md"))


def arguments(data: bytes, folder: Path) -> None:
    """The words after `shithead`, of commands that read and write nothing."""
    with contextlib.suppress(ValueError):
        words = parse_json(data)
        if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
            return
        if not words or words[0] not in _READING or any("\0" in word for word in words):
            return
        if any(word.startswith(("--p", "--c")) and word != "--players" for word in words):
            return  # these name files to write to
        before_it, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
        try:
            _as_typed(words)
        finally:
            sys.stdin = before_it


_READING = ("tally", "rules", "judge", "record", "score", "completion", "measure", "film", "soak")


def _as_typed(words: list[str]) -> None:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape"), io.StringIO()
    if words[0] in ("measure", "film", "soak") and "--seed=-1" not in words:
        return  # these would do it
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as ended:  # what argparse refuses, it says with its usage
            status = 0 if ended.code in (0, 2) else 1
    if status not in (0, 2) or "Traceback" in err.getvalue():
        raise FoundError(f"status {status}: {err.getvalue()}")


INNER = (
    *(rows, learnt, outline_facts, index_calibration, face_fusion),
    *(network, stream, results, arguments),
)
INNER_AS_JSON = ("rows", "outline_facts", "index_calibration", "face_fusion", "results", "arguments")


# --- what is mutated ----------------------------------------------------------------------------------


def _rows() -> bytes:
    referee, lines = Referee("winnersh", PLAYERS, dealer="Ann"), []
    for number, step in enumerate(play_game("winnersh", PLAYERS, 3, cheats=2, dealer="Ann").steps[:25], 1):
        event = step.event.renumbered(number)
        ruling = referee.observe(event).ruling
        lines.append(event.to_json() | ({} if ruling is None else {"ruling": written_ruling(ruling)}))
    lines.append({**lines[-1], "revise": 3, "withdrawn": True, "id": 99})
    seat = {"player": "Ann", "row": [[0.0, 200.0]], "facing": [0.0, 1.0]}
    layout = {"width": 160, "height": 90, "to_table": np.eye(3).tolist(), "seats": [seat, seat, seat]}
    head: dict[str, Any] = {"started": 1.7e9, "finished": None, "rules": "winnersh", "options": []}
    head |= {"players": list(PLAYERS), "dealer": "Ann", "loser": None, "source": None, "layout": layout}
    head["rituals_done"] = [{"player": "Ann", "title": "Library Boy", "number": 1, "at": 5.0}]
    return "\n".join(json.dumps(line) for line in (head, *lines)).encode()


def _learnt() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        features = np.random.default_rng(1).normal(0, 1, (4, 6)).astype(np.float32)
        return save_deck(
            Deck(LEARNT_DECK, "w", ("9S", "9S", "KH", "4C"), features), Path(folder)
        ).read_bytes()


def _network() -> bytes:
    import onnx
    from onnx import TensorProto, helper

    shape = [1, 3, 8, 8]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("in", "out")]
    kernel = helper.make_tensor("k", TensorProto.FLOAT, [3, 3, 1, 1], [0.1] * 9)
    nodes = [helper.make_node("Conv", ["in", "k"], ["mid"]), helper.make_node("Relu", ["mid"], ["out"])]
    graph = helper.make_graph(nodes, "tiny", ends[:1], ends[1:], [kernel])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


def _stream() -> bytes:
    jpeg = cv2.imencode(".jpg", np.full((24, 32, 3), 90, np.uint8))[1].tobytes()
    head = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"
    part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg)
    return head + (part + jpeg + b"\r\n") * 5


def _results() -> bytes:
    machine = {"processor": "P", "cores": 2, "memory_gib": 8.0, "system": "L", "python": "3.11"}
    about = {
        "made": "2026-01-01",
        "machine": {**machine, "versions": {"n": "2"}, "program": "a"},
        "load": 1.0,
    }
    soak = {**about, "hours": 1.0, "pace": 1.0, "films_played": 3, "dropped_share": 0.1}
    soak |= {"lag_s": {"first_half": {"median": 0.1}, "second_half": {"median": 0.2}}}
    bench, photos = {**about, "what": "ruling_us", "value": 4.0}, {**about, "set": "vpo_table", "recall": 0.5}
    films = json.loads((Path(__file__).parents[2] / "docs" / "measured" / "films.json").read_text("utf-8"))
    films["rows"] = films["rows"][:1]
    return "\n".join(json.dumps(row) for row in (films, photos, soak, bench)).encode()


_CURVE: dict[str, Any] = {"confidence_of_score": [[0.0, 0.1], [0.5, 0.6], [1.0, 0.9]]}
_FUSION = {
    "format": 1,
    "whole_weight": 1.2,
    "corner_weight": 0.6,
    "floor": 0.001,
    "threshold": 0.58,
    "index_weight": 1.25,
    "index_threshold": 0.64,
    "beside_strip": [0.8, 0.9],
}
_TYPED = (
    ["tally", "--all", "--json"],
    ["rules", "winnersh", "--option", "x"],
    ["rules", "--compare", "shed", "winnersh"],
    ["judge", "-"],
    ["record", "-", "--from-events", "winnersh", "--players", "A,B", "--dealer", "A"],
    ["score", "a.jsonl", "b.jsonl", "--details"],
    ["completion", "bash"],
    ["measure", "--films", "1", "--seed=-1", "--size", "1920x1080"],
    ["film", "out.mp4", "--plays", "0", "--seed=-1"],
)


def inner_seeds() -> dict[str, tuple[bytes, ...]]:
    """Return sound inputs of each target."""
    return {
        "rows": (_rows(),),
        "learnt": (_learnt(),),
        "outline_facts": (json.dumps({"input_size": 640, **_CURVE}).encode(),),
        "index_calibration": (json.dumps(_CURVE).encode(),),
        "face_fusion": (json.dumps(_FUSION).encode(),),
        "network": (_network(),),
        "stream": (_stream(),),
        "results": (_results(),),
        "arguments": tuple(json.dumps(words).encode() for words in _TYPED),
    }
