"""What the program reads, each as a target for a fuzzer: bytes in; done, or one clear line.

A target gets the content of a file. It may end in peace or with `BadInputError` of one line, and must do
nothing else: any other exception, a second line, a file outside the folder it was given, a minute's time or
gigabytes of memory are a finding.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cv2
import numpy as np

from companion.files import incomplete as half_files
from companion.game import sharing
from companion.game.evening import store_tally
from companion.game.refereeing import WatchedGame
from companion.settings import load_settings
from companion.store.backup import restore
from companion.store.store import Store
from engine.errors import BadInputError
from engine.files.json_text import parse_json
from engine.simulation.simulate import play_game
from tests.faults.fuzz_inner import INNER, INNER_AS_JSON, inner_seeds
from tests.faults.fuzz_measured import MEASURED, MEASURED_AS_JSON, measured_seeds
from tests.faults.fuzz_phones import PHONES, PHONES_AS_JSON, phones_seeds
from tests.faults.fuzz_rtsp import rtsp, rtsp_seed
from tests.faults.fuzz_running import WORKS_IN, FoundError, command, limited, watched, written
from tests.support.event_script import PLAY_AT, Script, bob_draws, card
from vision.capture import opencv as capturing
from vision.capture.sources import FilmSource, open_source
from vision.decks.deck import DECK_CARDS, Deck
from vision.decks.deck_files import load_deck, save_deck
from vision.decks.deck_head import DeckHead
from vision.decks.templates import TEMPLATE_HEIGHT, TEMPLATE_WIDTH
from vision.following.look_log import LookLog
from vision.following.replay import Replay, read_log
from vision.hands.ownership import ArmOwnership
from vision.images import read_image
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat, load_layout
from vision.table.rescaling import rescale_layout

Target = Callable[[bytes, Path], None]
PLAYERS = ("Ann", "Bob", "Cat")
_MOST_FRAMES = 40


def situation(data: bytes, folder: Path) -> None:
    command("judge", str(written(folder, "situation.json", data)))


def situations(data: bytes, folder: Path) -> None:
    command("judge", "--lines", str(written(folder, "situations.jsonl", data)))


def record(data: bytes, folder: Path) -> None:
    command("record", str(written(folder, "game.txt", data)), lines=10**6)


def events(data: bytes, folder: Path) -> None:
    path = str(written(folder, "events.jsonl", data))
    command("record", path, "--from-events", "winnersh", "--players", ",".join(PLAYERS), lines=10**6)


def score(data: bytes, folder: Path) -> None:
    path = str(written(folder, "events.jsonl", data))
    sound = str(written(folder, "truth.jsonl", SEEDS["truth"][0]))
    command("score", path, sound, "--details")


def truth(data: bytes, folder: Path) -> None:
    path = str(written(folder, "truth.jsonl", data))
    sound = str(written(folder, "events.jsonl", SEEDS["score"][0]))
    command("score", sound, path, "--json")


def house_rules(data: bytes, folder: Path) -> None:
    path = str(written(folder, "house.toml", data))
    command("rules", path)
    command("judge", str(written(folder, "s.json", json.dumps({**SITUATION, "rules": path}).encode())))


def layout(data: bytes, folder: Path) -> None:
    found = load_layout(written(folder, "layout.json", data))
    for width, height in ((found.width, found.height), (16, 9)):
        with contextlib.suppress(BadInputError), np.errstate(all="ignore"):
            fitted = rescale_layout(found, width, height)
            fitted.zone_at(10.0, 20.0)
            ArmOwnership().owner_of(fitted, (0.0, 0.0), (10.0, 20.0))
    json.dumps(found.to_json())


def looks(data: bytes, folder: Path) -> None:
    for _ in Replay(read_log(written(folder, "game.looks", data))):
        pass


def look_lines(data: bytes, folder: Path) -> None:
    looks(gzip.compress(data), folder)


def deck(data: bytes, folder: Path) -> None:
    written(folder, "fuzzed.npz", data)
    found = load_deck("fuzzed", folder)
    features = np.zeros((1, found.features.shape[1]), np.float32)
    DeckHead(found).refine(np.zeros((1, len(DECK_CARDS) + 1)), features)


def backup(data: bytes, folder: Path) -> None:
    store = folder / "s.sqlite"
    with Store.open(store) as opened:
        opened.start_game("winnersh", PLAYERS)
    before = folder / "backup.sqlite"
    before.write_bytes(data)
    try:
        restore(before, store)
    finally:
        with Store.open(store) as opened:
            store_tally(opened, all_evenings=True)


def store(data: bytes, folder: Path) -> None:
    with Store.open(written(folder, "s.sqlite", data)) as opened:
        opened.resumable_game()
        told = store_tally(opened, all_evenings=True)
        json.dumps(sharing.as_json(told))
        sharing.as_csv(told).encode()
        sharing.as_text(told).encode()
        opened.start_game("winnersh", PLAYERS)
        opened.append({"id": 1, "event": "draw"})


def picture(data: bytes, folder: Path) -> None:
    image = read_image(written(folder, "picture.jpg", data))
    if image.ndim != 3 or image.dtype != np.uint8:
        raise FoundError(f"a picture of shape {image.shape}, {image.dtype}")


def film(data: bytes, folder: Path) -> None:
    before = -1.0
    source = FilmSource(written(folder, "film.mp4", data))
    try:
        for number, (t, frame) in enumerate(source):
            if not (t > before and np.isfinite(t) and frame.ndim == 3):
                raise FoundError(f"picture {number} at {t}, after {before}")
            before = t
            if number == _MOST_FRAMES:
                return
    finally:
        source.close()


class _Closed:
    """Stands in for cv2.VideoCapture: what is fuzzed is the name, and nothing is to be opened for it."""

    def __init__(self, spec: Any, *_: Any) -> None:
        if isinstance(spec, str) and not spec.startswith("/"):
            scheme = spec.partition("://")[0].lower()
            if scheme not in capturing.STREAM_SCHEMES:
                raise FoundError(f"{spec!r} would have been opened")

    def isOpened(self) -> bool:  # noqa: N802
        return False


def address(data: bytes, folder: Path) -> None:
    spec = data.decode("utf-8", "surrogateescape").replace("\0", "").replace("\n", "")
    with patch.object(cv2, "VideoCapture", _Closed):
        open_source(spec).close()


class _Blind:
    def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[Any]:
        return []


def players(data: bytes, folder: Path) -> None:
    """Names and options as people type them, through the game, the store and what is shared."""
    try:
        typed = parse_json(data)
        names, options, dealer = (typed[key] for key in ("players", "options", "dealer"))
        names, options = [str(name) for name in names], [str(option) for option in options]
    except (ValueError, KeyError, TypeError):
        return
    dealer = None if dealer is None else str(dealer)
    game = WatchedGame.open(players=names, options=options, dealer=dealer, reader=_Blind())
    with Store.open(folder / "s.sqlite") as opened:
        opened.start_game("winnersh", names, options=options, dealer=dealer)
        opened.finish(names[0])
        told = store_tally(opened)
    sharing.as_csv(told).encode()
    sharing.save_picture(told, folder / "tally.png")
    assert game.table is not None


def settings(data: bytes, folder: Path) -> None:
    load_settings(written(folder, "settings.json", data))


def note(data: bytes, folder: Path) -> None:
    """A note on a half file, which may lead anywhere: nothing goes that has another name than noted ones."""
    others = [folder / name for name in ("letters.txt", ".letters.part", f".game.{'b' * 12}.part.mp4")]
    for other in others:
        other.write_text("mine")
    notes = folder / "notes"
    notes.mkdir()
    written(notes, f"{'a' * 12}.note", data)
    with patch.object(half_files, "notes_folder", lambda: notes):
        half_files.incomplete_files()
        half_files.remove_incomplete_files()
    assert all(other.read_text() == "mine" for other in others)


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        *(situation, situations, record, events, score, truth, house_rules, layout, looks, look_lines),
        *(deck, backup, store),
        *(picture, film, address, players, settings, note, rtsp, *INNER, *MEASURED, *PHONES),
    )
}
AS_JSON = (
    *("situation", "situations", "events", "score", "truth", "layout", "look_lines", "players"),
    "settings",
    *(*INNER_AS_JSON, *MEASURED_AS_JSON, *PHONES_AS_JSON),
)
"""Targets whose input is JSON, or a JSON object a line."""


def run(name: str, data: bytes) -> str:
    """Feed one target; returns what it said, or nothing. Raises what is to be found."""
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=WORKS_IN) as scratch:
        outer = Path(scratch)
        folder = outer / "inside"
        folder.mkdir()
        said = ""
        with warnings.catch_warnings(), limited(), watched(outer):
            warnings.simplefilter("error")  # a warning is a line on the terminal too
            try:
                TARGETS[name](data, folder)
            except BadInputError as error:
                said = str(error)
        if "\n" in said:
            raise FoundError(f"more than one line: {said!r}")
        if [path.name for path in outer.iterdir()] != ["inside"]:
            raise FoundError(f"written outside: {list(outer.iterdir())}")
        return said


# --- what is mutated ----------------------------------------------------------------------------------

SITUATION: dict[str, Any] = {
    "rules": "winnersh",
    "options": [],
    "players": ["P1", "P2", "P3", "P4"],
    "dealer": "P4",
    "turn": "P1",
    "direction": "clockwise",
    "pile": ["4S", "9H", "KH"],
    "draw_pile": 5,
    "burned": ["10C"],
    "cards": {
        "P1": {"hand": ["4H", "5H", "AH"], "up": ["9S", "2C", "QD"], "down": 3},
        "P2": {"hand": ["??", "??", "??"]},
    },
    "left": {"P3": {"turns_since": ["P4"]}},
    "losses": {"P1": 2},
    "action": {"type": "play", "player": "P1", "cards": ["AH"], "source": "hand"},
}
_SHOW = {"type": "show", "player": "P1", "cards": ["9S"], "to": "P2", "answers": [["P2", "P3"]]}
_QUESTIONS: tuple[dict[str, Any], ...] = (
    {"ask": "who_starts", "players": ["A", "B"], "cards": {"A": {"hand": ["5H"]}, "B": {"hand": ["4C"]}}},
    {"ask": "next_dealer", "players": ["A", "B"], "dealer": "A", "loser": "B"},
    {"ask": "deal", "rules": "shed", "players": ["A", "B", "C"]},
)
_HOUSE = """name = "Friday rules"
base = "jokers"
options = ["q-reverse"]
[mechanics]
min_hand = 4
four = 4
draw = "as-played"
also_beaten_by = { "7" = "6" }
start_order = ["4C", "3 black", "5"]
deal = { down = 3, up = 3, hand = 3 }
"""


def _lines(entries: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(entry) for entry in entries).encode()


def _game() -> tuple[bytes, bytes, bytes]:
    """Return a game as a record, as event lines and as a film's truth."""
    from engine.notation.record import Record

    game = play_game("winnersh", PLAYERS, 3, cheats=2, dealer="Ann")
    log = tuple(step.event.renumbered(number) for number, step in enumerate(game.steps[:40], 1))
    text = Record(rules=game.rules, players=PLAYERS, dealer="Ann", log=log).to_text()
    told = [event.to_json() | {"ruling": {"verdict": "legal", "breaches": []}} for event in log[:12]]
    told.append({**told[-1], "revise": 3, "withdrawn": True, "id": 99})
    true = [{"film": "a.mp4", "fps": 15, "players": list(PLAYERS), "rules": "winnersh"}]
    true += [{**event.to_json(), "t_start": 1.0, "t_end": 2.0, "legal": False} for event in log[:12]]
    return text.encode(), _lines(told), _lines(true)


def _films() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for name, code in (("a.avi", "MJPG"), ("a.mp4", "mp4v")):
            path = str(Path(folder) / name)
            writer = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*code), 15.0, (64, 48))
            for number in range(8):
                writer.write(np.full((48, 64, 3), 20 * number, np.uint8))
            writer.release()
            yield Path(path).read_bytes()


def _store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sqlite"
        with Store.open(path) as opened:
            for loser in ("Ann", None):
                opened.start_game("winnersh", PLAYERS, options=("x",), dealer="Bob", source="a.mp4")
                opened.append({"id": 1, "event": "play", "player": "Ann", "cards": ["9S"], "t": 1.0})
                opened.correct(1, None)
                if loser is not None:
                    opened.finish(loser)
                    opened.mark_ritual(opened.game, loser, "Library Boy", 1, done=True)
        return path.read_bytes()


def _deck() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        features = np.random.default_rng(1).normal(0, 1, (4, 6)).astype(np.float32)
        deck = Deck("a", "w", ("9S", "9S", "KH", "JOKER"), features)
        pictures = np.full((1, TEMPLATE_HEIGHT, TEMPLATE_WIDTH), 200, np.uint8)
        return save_deck(replace(deck, template_cards=("9S",), templates=pictures), Path(folder)).read_bytes()


def _layout() -> bytes:
    seats = (Seat("Ann", ((0.0, 200.0),), (0.0, 1.0)), Seat("Bob", ((0.0, -200.0),), (0.0, -1.0)))
    found = Layout(TablePlane(np.diag([0.5, 0.5, 1.0])), 1600, 900, seats, draw=(0.0, 0.0))
    return json.dumps(found.to_json()).encode()


def _looks() -> bytes:
    """Return the log of a play, a draw and a look under a hand, all of it with pictures."""
    file = BytesIO()
    log = LookLog(file)
    script = Script(make_events=log.event_maker)
    script.drawn, script.draw_picture = {}, np.full((4, 4, 3), 90, np.uint8)
    script.play("Ann", card("9H", PLAY_AT))
    bob_draws(script, 1)
    script.maker.put_right(script.maker.layout, script.t)
    script.leave("Bob", card("9S", PLAY_AT))
    script.maker.finish(script.t)
    log.close()
    return file.getvalue()


def _seeds() -> dict[str, tuple[bytes, ...]]:
    text, told, true = _game()
    image = np.random.default_rng(2).integers(0, 255, (12, 16, 3), np.uint8)
    kinds = (".png", ".jpg", ".webp", ".bmp", ".tiff", ".gif", ".ppm")
    situations = [SITUATION, {**SITUATION, "action": _SHOW}, *_QUESTIONS]
    typed = {"players": list(PLAYERS), "options": [], "dealer": "Bob"}
    return {
        "situation": tuple(json.dumps(line).encode() for line in situations),
        "situations": (_lines(situations),),
        "record": (text,),
        "events": (told,),
        "score": (told,),
        "truth": (true,),
        "house_rules": (_HOUSE.encode(), b'base = "shed"\n'),
        "layout": (_layout(),),
        "looks": (_looks(),),
        "look_lines": (gzip.decompress(_looks()),),
        "deck": (_deck(),),
        "backup": (_store(),),
        "store": (_store(),),
        "picture": tuple(cv2.imencode(kind, image)[1].tobytes() for kind in kinds),
        "film": tuple(_films()),
        "address": (b"0", b"http://phone:8080/video", b"film.mp4", b"rtsp://[::1]:554/a?b=c#d"),
        "players": (json.dumps(typed).encode(),),
        "settings": (b'{"language": "de", "speak": true}',),
        "note": (f"/nowhere/.game.{'a' * 12}.part.mp4".encode(),),
        "rtsp": (rtsp_seed(),),
        **inner_seeds(),
        **measured_seeds(),
        **phones_seeds(),
    }


SEEDS = _seeds()
sys.setrecursionlimit(max(sys.getrecursionlimit(), 1000))
