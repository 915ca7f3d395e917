"""The tally: counted by hand on small evenings."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.game import sharing
from companion.game.evening import Standing, Tally, apply_revisions, called_rituals, store_tally
from companion.i18n.catalogue import set_language
from companion.i18n.wording import date_text
from companion.store.store import Store
from engine.errors import BadInputError
from engine.ruleset import load_ruleset
from vision.types import Image

PLAYERS = ("Ann", "Bob", "Cat")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def play(
    store: Store, loser: str | None, *lines: dict[str, object], players: tuple[str, ...] = PLAYERS
) -> None:
    store.start_game("winnersh", players)
    for line in lines:
        store.append(line)
    store.finish(loser)


def pick_up(number: int, *rituals: object) -> dict[str, object]:
    effects = {"rituals": list(rituals)}
    ruling = {"verdict": "legal", "effects": effects}
    return {"id": number, "event": "pick_up", "player": "Cat", "ruling": ruling}


def test_games_losses_and_streaks(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        for loser in ("Ann", "Bob", "Bob", None):
            play(store, loser)
        play(store, "Bob", players=("Bob", "Cat"))
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "play", "player": "Ann", "cards": ["4C"]})
    with Store.open(tmp_path / "s.sqlite") as store:
        tally = store_tally(store)
    # Bob's run of two ended with the game that nobody lost; then he lost again.
    assert tally.standings == (
        Standing("Bob", 5, 3, 1, rituals=(load_ruleset("winnersh").mechanics.third_loss_title,)),
        Standing("Ann", games=4, losses=1, streak=0),
        Standing("Cat", games=5, losses=0, streak=0),
    )
    assert tally.losers == ("Ann", "Bob", "Bob", None, "Bob")
    assert tally.unfinished == 1


def test_the_running_game_is_not_broken_off_and_one_without_a_play_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("winnersh", ("Xavier", "Yann"))
        store.append({"id": 1, "event": "deal"})
        store.start_game("winnersh", PLAYERS)
        store.append({"id": 1, "event": "play", "player": "Ann", "cards": ["4C"]})
        running = store_tally(store)
    with Store.open(path) as store:
        broken_off = store_tally(store)
    assert running.unfinished == 0
    assert broken_off.unfinished == 1
    for tally in (running, broken_off):
        assert sorted(standing.player for standing in tally.standings) == sorted(PLAYERS)


def test_only_the_last_evening_counts_unless_all_are_asked_for(tmp_path: Path) -> None:
    clock = Clock()
    with Store.open(tmp_path / "s.sqlite", clock=clock) as store:
        play(store, "Ann")
        clock.now += 86_400
        play(store, "Bob")
        assert store_tally(store).losers == ("Bob",)
        assert store_tally(store, all_evenings=True).losers == ("Ann", "Bob")


def test_rituals_fall_on_who_earned_them() -> None:
    forced = pick_up(3, "Library Boy")
    forced["ruling"] = {"effects": {"rituals": ["Library Boy"], "picks_up": "Bob"}}
    last = {"id": 4, "event": "play", "player": "Ann"}
    last["ruling"] = {"effects": {"rituals": ["I am the Shithead!"], "shithead": "Bob"}}
    assert called_rituals([pick_up(1), pick_up(2, "Library Boy"), forced, last]) == [
        ("Cat", "Library Boy"),
        ("Bob", "Library Boy"),
        ("Bob", "I am the Shithead!"),
    ]


def test_the_third_loss_of_an_evening_earns_the_song_once(tmp_path: Path) -> None:
    title = load_ruleset("winnersh").mechanics.third_loss_title
    assert title
    with Store.open(tmp_path / "s.sqlite") as store:
        for losses in range(1, 5):
            play(store, "Ann")
            (ann,) = (s for s in store_tally(store).standings if s.player == "Ann")
            assert ann.rituals == ((title,) if losses >= 3 else ())


def test_the_song_is_for_three_losses_in_one_evening(tmp_path: Path) -> None:
    clock = Clock()
    with Store.open(tmp_path / "s.sqlite", clock=clock) as store:
        for _ in range(4):
            play(store, "Ann")
            clock.now += 86_400
        (ann,) = (s for s in store_tally(store, all_evenings=True).standings if s.player == "Ann")
    assert (ann.losses, ann.rituals) == (4, ())


def test_what_the_shithead_must_say_is_counted_once_a_game(tmp_path: Path) -> None:
    title = load_ruleset("backpacker").mechanics.loser_says_title
    assert title
    last = {"id": 9, "event": "play", "player": "Ann"}
    last["ruling"] = {"verdict": "legal", "effects": {"rituals": [title], "shithead": "Bob"}}
    with Store.open(tmp_path / "s.sqlite") as store:
        for lines in ([last], []):
            store.start_game("backpacker", PLAYERS)
            for line in lines:
                store.append(line)
            store.finish("Bob")
        (bob,) = (s for s in store_tally(store).standings if s.player == "Bob")
    assert bob.rituals == (title, title)


def test_a_revised_event_counts_once_and_a_withdrawn_one_not(tmp_path: Path) -> None:
    wrong, right = pick_up(1, "Library Boy"), pick_up(2)
    assert apply_revisions([wrong, {**right, "revise": 1}]) == [{**right, "revise": 1}]
    assert apply_revisions([wrong, pick_up(3), {**wrong, "id": 4, "revise": 1, "withdrawn": True}]) == [
        pick_up(3)
    ]
    with Store.open(tmp_path / "s.sqlite") as store:
        play(store, "Ann", wrong, {**right, "revise": 1})
        assert all(standing.rituals == () for standing in store_tally(store).standings)


def test_an_empty_store_has_nothing_to_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store.open(tmp_path / "s.sqlite").close()
    assert main(["tally", "--store", str(tmp_path / "s.sqlite")]) == 0
    assert capsys.readouterr().out == "No game has been played yet.\n"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        for loser in ("Ann", "=cmd", "Ann"):
            play(store, loser, players=("Ann", "=cmd"))
    return path


def test_json(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tally", "--json", "--store", str(stored)]) == 0
    answer = json.loads(capsys.readouterr().out)
    first = {"player": "Ann", "games": 3, "losses": 2, "streak": 1, "rituals": []}
    assert first.items() <= answer["players"][0].items()
    assert set(answer["players"][0]) - set(first) == {"sung", "breaches", "burns", "pick_ups"}
    assert answer["losers"] == ["Ann", "=cmd", "Ann"]


def test_csv_is_read_back_and_holds_no_formula(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tally", "--csv", "--store", str(stored)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["player"], row["losses"]) for row in rows] == [("Ann", "2"), ("'=cmd", "1")]


def test_control_characters_of_a_name_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A backup from somebody else may hold any name."""
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        play(
            store,
            "Bob\nEvil",
            players=("\x1b[31mAnn", "Bob\nEvil", "Zo\u00eb \U0001f44d\u200d", "\x9b2J\u202e"),
        )
    for form in ("--csv", "--all"):
        assert main(["tally", form, "--store", str(path)]) == 0
        shown = capsys.readouterr().out
        lines = [line for line in shown.split("\n") if line]
        assert len(lines) == 5
        assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
        for name in ("\\x1b[31mAnn", "Bob\\nEvil", "Zo\u00eb \U0001f44d\u200d", "\\x9b2J\\u202e"):
            assert any(line.startswith(name) for line in lines), name


def test_the_text_to_share_is_in_the_language_of_the_app() -> None:
    tally = Tally((Standing("Ann", 3, 2, 1, ("Library Boy",)), Standing("Bob", 3, 0)), ("Ann",), unfinished=1)
    assert sharing.as_text(tally).splitlines() == [
        "player  games  losses  streak  rituals due",
        "Ann         3       2       1  Library Boy",
        "Bob         3       0       0",
        "(1 game interrupted)",
    ]
    set_language("de")
    try:
        assert sharing.as_text(tally).splitlines() == [
            "Spieler  Spiele  verloren  in Folge  fällige Rituale",
            "Ann           3         2         1  Library Boy",
            "Bob           3         0         0",
            "(1 Spiel unterbrochen)",
        ]
    finally:
        set_language("en")


def test_picture_is_written(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tally.png"
    assert main(["tally", "--png", str(out), "--store", str(stored)]) == 0
    assert capsys.readouterr().out == ""
    picture = cv2.imread(str(out))
    assert picture is not None
    assert picture.shape[1] == sharing.WIDTH
    # The worst player's bar is red and as long as bars get.
    red = (picture == sharing.RED).all(axis=2)
    assert 380 <= red.sum(axis=1).max() <= 440


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are drawn into pictures."""
    texts: list[str] = []
    put = cv2.putText

    def note_and_put(picture: Image, text: str, *how: Any) -> object:
        texts.append(text)
        return put(picture, text, *how)

    monkeypatch.setattr(cv2, "putText", note_and_put)
    return texts


def test_the_picture_says_when_and_where_and_what_each_player_did(tmp_path: Path, written: list[str]) -> None:
    store_path, out = tmp_path / "s.sqlite", tmp_path / "tally.png"
    with Store.open(store_path) as store:
        store.start_game("winnersh", ["Ann", "Bob"])
        breach = {"verdict": "illegal", "breaches": [{"rule": "x", "says": "No."}]}
        burn = {"verdict": "legal", "effects": {"burn": True}}
        store.append(
            {"id": 1, "event": "play", "player": "Ann", "cards": ["4C"], "ruling": breach},
            {"id": 2, "event": "play", "player": "Ann", "cards": ["10C"], "ruling": burn},
            {"id": 3, "event": "pick_up", "player": "Bob", "ruling": {"verdict": "legal"}},
        )
        store.finish("Bob")
        started = store.games()[0].started
    assert main(["tally", "--png", str(out), "--store", str(store_path), "--place", "The Red  Lion"]) == 0
    assert f"{date_text(started)} · The Red Lion" in written
    assert "Bob is the Shithead" in written
    assert "1 breach · 1 burn · 0 pick-ups · never lost" in written
    assert "0 breaches · 0 burns · 1 pick-up" in written


def test_songs_that_were_sung_are_in_the_picture_and_those_due_are_marked(written: list[str]) -> None:
    standing = Standing("Ann", 3, 1, rituals=("Library Boy",), sung=(SONG, SONG))
    sharing.as_picture(Tally((standing,), ("Ann",)))
    assert f"sung: {SONG} × 2" in written
    assert "due: Library Boy" in written


def test_names_that_run_from_right_to_left_are_drawn_so_in_the_picture(written: list[str]) -> None:
    names = ("عمر", "שלום", "李小龍")
    sharing.as_picture(Tally(tuple(Standing(name, 1, 0) for name in names), (names[0],)))
    assert {"رمع", "םולש", "李小龍"} <= set(written)


def test_picture_bars_are_proportional() -> None:
    standings = (Standing("Ann", 9, 4), Standing("Bob", 9, 2), Standing("Cat", 9, 0))
    picture = sharing.as_picture(Tally(standings, ("Ann",) * 6))
    red = (picture == sharing.RED).all(axis=2).sum(axis=1).max()
    brass = (picture == sharing.BRASS).all(axis=2).sum(axis=1).max()
    assert brass == pytest.approx(red / 2, abs=2)


SONG = "Once, Twice, Three Times A Shithead"
SUNG_OFTEN = Tally(
    (
        Standing("Bob", 48, 36, 6, rituals=(SONG,) * 6),
        Standing("Ann", 105, 12, 1, rituals=(SONG, "Library Boy", "I am the Shithead!") * 3),
        Standing("Cat", 105, 0),
    ),
    ("Bob",) * 48,
)


@pytest.mark.parametrize("faces", [True, False])
def test_no_text_of_the_picture_is_cut_or_leaves_its_panel(
    faces: bool, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Totals of three figures, one song many times, three kinds; also in the plain letters of a phone."""
    if not faces:
        monkeypatch.delattr(cv2, "FontFace")
    picture = sharing.as_picture(SUNG_OFTEN)
    times, dot = ("×", "·") if faces else ("x", "-")
    assert f"due: {SONG} {times} 6" in written
    assert f" {dot} ".join(part for part in written if f"{times} 3" in part).count(f"{times} 3") == 3
    assert {"36 / 48", "12 / 105", "0 / 105"} <= set(written)
    assert not any(text.endswith(("…", "...")) for text in written)
    edge = np.array([sharing.PANEL, sharing.BACKGROUND])
    assert (picture[:, 1018:, None] == edge).all(axis=3).any(axis=2).all(), "nothing is written so far right"
    bars = (picture == sharing.RED).all(axis=2).any(axis=0).nonzero()[0]
    totals = (picture[260:340, 700:] == sharing.TEXT).all(axis=2).any(axis=0).nonzero()[0] + 700
    assert bars.max() < totals.min(), "the longest bar ends before the number"


def test_a_suffix_that_is_no_picture_is_one_line(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tally.nonsense"
    status = main(["tally", "--png", str(out), "--store", str(stored)])
    error = capsys.readouterr().err
    assert (status, error.count("\n"), out.exists()) == (2, 1, False)
    assert str(out) in error


def test_picture_of_a_table_of_strangers() -> None:
    """Names of any length and script, and no game at all, are drawn without harm."""
    names = ("Maximiliane-Wilhelmina von Hohenstein-Treppenhaus", "李小龍", "", "\n")
    tall = sharing.as_picture(Tally(tuple(Standing(name, 1, 1, 1, ("Library Boy",)) for name in names)))
    empty = sharing.as_picture(Tally(()))
    assert tall.shape[0] > empty.shape[0]
    # The elided name keeps clear of the bars.
    assert (tall[260:318, 470:488] == sharing.PANEL).all()
    with pytest.raises(BadInputError):
        sharing.save_picture(Tally(()), Path("x.nonsense"))
