"""What was sung: no longer due in the tally, and taken back where it was not."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.game import sharing
from companion.game.evening import Tally, store_tally
from companion.i18n.catalogue import set_language
from companion.i18n.wording import date_text
from companion.store.store import Store
from engine.ruleset import load_ruleset
from vision.types import Image

TITLE = str(load_ruleset("backpacker").mechanics.loser_says_title)
LONG_AGO = 1_700_000_000.0
"""14 November 2023, late in the evening by universal time."""
SINGERS = ("Ann", "Bob")


@pytest.fixture
def singing(tmp_path: Path) -> Path:
    """Bob owes two songs and what the Shithead says, on an evening of long ago and again on the last one."""
    path, now = tmp_path / "sung.sqlite", [LONG_AGO]
    with Store.open(path, clock=lambda: now[0]) as store:
        for _ in range(2):
            store.start_game("backpacker", SINGERS)
            for number in (1, 2):
                store.append({"id": number, "event": "pick_up", "player": "Bob"} | rules("Library Boy"))
            store.append({"id": 3, "event": "play", "player": "Ann"} | rules(TITLE, shithead="Bob"))
            store.finish("Bob")
            now[0] += 2 * 86_400
    return path


def rules(ritual: str, **effects: object) -> dict[str, object]:
    return {"ruling": {"verdict": "legal", "effects": {"rituals": [ritual], **effects}}}


def tallied(path: Path, *arguments: str) -> int:
    return main(["tally", "--store", str(path), *arguments])


def due(path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    capsys.readouterr()
    assert tallied(path, "--json", *arguments) == 0
    players = json.loads(capsys.readouterr().out)["players"]
    (rituals,) = (player["rituals"] for player in players if player["player"] == "Bob")
    return list(rituals)


def test_what_is_sung_is_due_no_more_in_any_form(singing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert due(singing, capsys) == ["Library Boy", "Library Boy", TITLE]
    assert tallied(singing, "--sung", "Bob") == 0
    told = capsys.readouterr()
    assert told.err == "shithead tally: Bob: “Library Boy” is done\n"
    assert f"Library Boy · {TITLE}" in told.out
    assert "× 2" not in told.out
    assert due(singing, capsys, "--sung", "Bob", "--title", TITLE) == ["Library Boy"]
    assert due(singing, capsys, "--all") == ["Library Boy", "Library Boy", TITLE, "Library Boy"]
    assert tallied(singing, "--csv", "--sung", "Bob") == 0
    assert "Bob,1,1,1,\n" in capsys.readouterr().out
    with Store.open_to_read(singing) as store:
        ritual = store_tally(store, all_evenings=True).rituals[-1]
        assert [ritual.game_number, ritual.game, ritual.number] == [1, 2, 1]
        assert len(store_tally(store).rituals) == 3


def test_what_was_said_to_be_sung_is_taken_back_the_last_first(
    singing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert due(singing, capsys, "--sung", "Bob", "--title", TITLE) == ["Library Boy"] * 2
    assert due(singing, capsys, "--sung", "Bob") == ["Library Boy"]
    assert due(singing, capsys, "--not-sung", "Bob") == ["Library Boy"] * 2
    assert due(singing, capsys, "--not-sung", "Bob") == ["Library Boy", "Library Boy", TITLE]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--sung Cat", "Cat has played no game that evening (see --all)"),
        ("--sung Ann --all", "Ann does not owe anything"),
        ("--sung Bob --title Yodel", "Bob does not owe “Yodel” that evening (see --all)"),
        ("--not-sung Bob", "Bob has not sung anything that evening (see --all)"),
        ("--title Yodel", "--title needs --sung or --not-sung"),
    ],
)
def test_what_nobody_owes_is_one_line(
    arguments: str, says: str, singing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tallied(singing, *arguments.split()) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"shithead tally: {says}\n")


def test_saying_what_was_sung_begins_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tallied(tmp_path / "none.sqlite", "--sung", "Bob") == 2
    assert list(tmp_path.iterdir()) == []
    assert "no such file" in capsys.readouterr().err


def test_a_song_whose_game_was_put_right_is_due_from_whoever_lost_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        game = store.start_game("backpacker", SINGERS)
        store.finish("Bob")
        (song,) = store_tally(store).rituals
        store.mark_ritual(game, "Bob", song.title, 1, done=True)
        store.reopen()
        store.finish("Ann")
        assert {s.player: s.rituals for s in store_tally(store).standings} == {
            "Ann": (song.title,),
            "Bob": (),
        }
        store.reopen()
        store.finish("Bob")
        assert not any(s.rituals for s in store_tally(store).standings)


def test_the_picture_of_an_evening_says_tonight_only_while_it_lasts(
    singing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles: list[str] = []
    draw = sharing.as_picture

    def note_and_draw(tally: Tally, *, title: str, place: str) -> Image:
        titles.append(title)
        return draw(tally, title=title, place=place)

    monkeypatch.setattr(sharing, "as_picture", note_and_draw)
    out = str(tmp_path / "tally.png")
    for arguments in ([], ["--all"]):
        assert tallied(singing, "--force", "--png", out, *arguments) == 0
    with Store.open(singing) as store:
        store.start_game("winnersh", SINGERS)
    assert tallied(singing, "--force", "--png", out) == 0
    assert titles == [date_text(LONG_AGO + 2 * 86_400), "All evenings", "Tonight"]


def test_a_day_is_said_as_people_say_it() -> None:
    last_minute = time.mktime((2024, 3, 9, 23, 59, 0, 0, 0, -1))
    assert date_text(last_minute) == "9 March 2024"
    set_language("de")
    try:
        assert date_text(last_minute) == "9. März 2024"
    finally:
        set_language("en")
