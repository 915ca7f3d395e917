"""What is said, sounded and felt: nothing until it is switched on, and then the right words."""

from __future__ import annotations

import os
import wave
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.app.feedback import Feedback, speech_for, write_tone
from companion.game.entry import entered_event
from companion.game.evening import called_rituals
from companion.game.event_log import EventLog
from companion.game.refereeing import make_referee
from companion.game.ruling_views import newest_ruling, ruling_text
from companion.game.session import Snapshot
from companion.game.touch_game import TouchGame
from companion.i18n.catalogue import set_language
from companion.settings import Settings, load_settings, save_settings
from companion.speech.voice import ProgramSpeaker, SilentSpeaker, find_speaker
from tests.support.waiting import until

ILLEGAL = {
    "id": 2,
    "event": "play",
    "player": "Ann",
    "ruling": {"verdict": "illegal", "breaches": [{"says": "The 4 cannot go on a 9."}], "effects": {}},
}
LEGAL = {"id": 1, "event": "play", "player": "Bob", "ruling": {"verdict": "legal", "effects": {}}}


class Ear:
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.lasting: list[str] = []

    def say(self, text: str, *, lasting: bool = False) -> None:
        self.heard.append(text)
        self.lasting += [text] if lasting else []

    def close(self) -> None:
        pass


def snapshot(serial: int, *lines: dict[str, Any], turn: str | None = None) -> Snapshot:
    return Snapshot(version=serial, phase="watching", lines=lines, table=SimpleNamespace(turn=turn))


def hearing(settings: Settings | None = None) -> tuple[Feedback, Ear, list[str]]:
    ear, felt = Ear(), []
    feedback = Feedback(
        settings or Settings(),
        speaker=lambda: ear,
        sound=lambda: felt.append("sound"),
        buzz=lambda: felt.append("buzz"),
    )
    return feedback, ear, felt


def test_a_new_game_is_said_and_all_that_happens_in_it() -> None:
    """Its events have numbers that were heard in the game before."""
    feedback, ear, felt = hearing(Settings(speak=True, vibrate=True))
    feedback.hear(Snapshot(version=0, phase="opening"))
    feedback.hear(snapshot(1, LEGAL, ILLEGAL, turn="Bob"))
    table = SimpleNamespace(turn="Bob", dealer="Ann")
    feedback.hear(
        Snapshot(version=2, phase="watching", game=2, lines=({"id": 1, "event": "deal"},), table=table)
    )
    assert ear.lasting[-1] == "a new game has begun: Ann deals"
    assert ear.heard[-1] == "Bob to play."
    feedback.hear(replace(snapshot(3, ILLEGAL), game=2))
    assert ear.lasting[-1].startswith("Illegal.")
    assert felt == ["buzz"]


def test_everything_is_quiet_until_it_is_switched_on() -> None:
    feedback, ear, felt = hearing()
    feedback.hear(snapshot(1))
    feedback.hear(snapshot(2, ILLEGAL, turn="Bob"))
    assert (ear.heard, felt) == ([], [])


def test_a_breach_is_spoken_sounded_and_felt_and_then_whose_turn_it_is() -> None:
    feedback, ear, felt = hearing(Settings(speak=True, sound=True, vibrate=True))
    feedback.hear(snapshot(1))
    feedback.hear(snapshot(2, ILLEGAL, turn="Bob"))
    assert ear.heard == ["Illegal. The 4 cannot go on a 9.", "Bob to play."]
    assert ear.lasting == ["Illegal. The 4 cannot go on a 9."]
    assert felt == ["sound", "buzz"]


def test_a_legal_play_only_says_whose_turn_it_is_and_nothing_is_said_twice() -> None:
    feedback, ear, felt = hearing(Settings(speak=True, sound=True))
    feedback.hear(snapshot(1, turn="Bob"))
    feedback.hear(snapshot(2, LEGAL, turn="Cat"))
    feedback.hear(snapshot(2, LEGAL, turn="Cat"))
    feedback.hear(snapshot(3, LEGAL, turn="Cat"))
    assert ear.heard == ["Cat to play."]
    assert felt == []


def test_what_had_happened_before_the_app_came_is_not_told_again() -> None:
    feedback, ear, _ = hearing(Settings(speak=True))
    feedback.hear(snapshot(1, LEGAL, ILLEGAL, turn="Bob"))
    assert ear.heard == []


def test_a_game_that_goes_on_is_not_read_out_only_whose_turn_it_is() -> None:
    feedback, ear, felt = hearing(Settings(speak=True, sound=True))
    feedback.hear(Snapshot(version=1, phase="opening"))
    feedback.hear(Snapshot(version=2, phase="opening", says="Looking for the table"))
    feedback.hear(snapshot(3, LEGAL, ILLEGAL, turn="Bob"))
    assert (ear.heard, felt) == (["Bob to play."], [])


def test_the_next_game_is_heard_though_its_opening_was_missed() -> None:
    feedback, ear, _ = hearing(Settings(speak=True))
    feedback.hear(snapshot(4, LEGAL, turn="Ann"))
    feedback.begin()
    feedback.hear(snapshot(4, LEGAL, ILLEGAL, turn="Bob"))
    assert ear.heard == ["Bob to play."]


def test_a_breach_that_a_second_look_finds_is_spoken_and_sounded_once() -> None:
    feedback, ear, felt = hearing(Settings(speak=True, sound=True))
    feedback.hear(snapshot(1))
    at_first = {**ILLEGAL, "ruling": {"verdict": "legal", "effects": {}}}
    feedback.hear(snapshot(2, at_first))
    assert (ear.heard, felt) == ([], [])
    feedback.hear(snapshot(3, ILLEGAL))
    feedback.hear(snapshot(4, ILLEGAL, {**LEGAL, "id": 3}))
    assert (ear.heard, felt) == (["Illegal. The 4 cannot go on a 9."], ["sound"])


def act(event: str = "play", player: str = "Ann", verdict: str = "legal", **effects: Any) -> dict[str, Any]:
    ruling = {"verdict": verdict, "effects": effects}
    return {"id": 9, "event": event, "player": player, "cards": ["10C", "4S"], "ruling": ruling}


@pytest.mark.parametrize(
    ("line", "turn", "demand", "said", "in_german"),
    [
        (act(next="Bob"), "Bob", "7 or lower", "Bob to play: 7 or lower.", "Bob ist dran: 7 oder niedriger."),
        (act(next="Bob"), "Bob", "anything", "Bob to play.", "Bob ist dran."),
        (act(next="Bob"), "Bob", "not known", "Bob to play.", "Bob ist dran."),
        (
            act(burn=True, extra_turn=True),
            None,
            "anything",
            "Burnt. Ann again.",
            "Verbrannt. Ann noch einmal.",
        ),
        (act(burn=True, next="Bob"), "Bob", "anything", "Burnt. Bob to play.", "Verbrannt. Bob ist dran."),
        (
            act(skipped=["Bob", "Cat"], next="Dan"),
            "Dan",
            "8 or higher",
            "Skipped: Bob, Cat. Dan to play: 8 or higher.",
            "Ausgesetzt: Bob, Cat. Dan ist dran: 8 oder höher.",
        ),
        (
            act(skipped=["Bob"], next="Ann"),
            None,
            "8 or higher",
            "Skipped: Bob. Ann again: 8 or higher.",
            "Ausgesetzt: Bob. Ann noch einmal: 8 oder höher.",
        ),
        (
            act("pick_up", picks_up="Ann", next="Bob"),
            "Bob",
            "anything",
            "Ann picks up 2 cards. Bob to play.",
            "Ann nimmt 2 Karten auf. Bob ist dran.",
        ),
        (act(verdict="illegal", burn=True, extra_turn=True), None, "anything", "", ""),
        (act("draw", next="Ann"), None, "anything", "", ""),
    ],
)
def test_what_a_play_does_and_what_is_needed_next_are_spoken_briefly(
    line: dict[str, Any], turn: str | None, demand: str, said: str, in_german: str
) -> None:
    assert speech_for([line], turn, demand)[1] == said
    set_language("de")
    try:
        assert speech_for([line], turn, demand)[1] == in_german
    finally:
        set_language("en")


def test_a_play_upon_a_burnt_pile_is_heard_with_the_demand_it_leaves() -> None:
    feedback, ear, _ = hearing(Settings(speak=True))
    feedback.hear(snapshot(1, turn="Ann"))
    burnt = {**act(burn=True, extra_turn=True, next="Ann"), "id": 1}
    feedback.hear(snapshot(2, burnt, turn="Ann"))
    assert ear.heard == ["Burnt. Ann again."]
    table = SimpleNamespace(turn="Bob", demand_in_words="5 or higher")
    feedback.hear(replace(snapshot(3, burnt, {**act(next="Bob"), "id": 2}), table=table))
    assert (ear.heard[1:], ear.lasting) == (["Bob to play: 5 or higher."], [])


def test_what_is_missing_for_a_proof_is_spoken() -> None:
    judge = make_referee("winnersh", ("Ann", "Bob", "Cat"))
    game = TouchGame(EventLog(judge))
    game.enter(entered_event("play", "Ann", cards=["??"]))
    lines = game.enter(entered_event("play", "Bob", cards=["4C"]))
    assert lines[0]["ruling"]["verdict"] == "unproven"
    assert speech_for(lines[:1], "Cat") == ("", "Not proven: what lies on top of the pile. Cat to play.")
    bare = {"id": 1, "event": "play", "player": "Ann", "ruling": {"verdict": "unproven"}}
    assert speech_for([bare], None) == ("", "Not proven.")


def test_a_song_gives_title_and_victim_and_the_end_its_loser() -> None:
    effects = {"picks_up": "Cat", "rituals": ["Library Boy"]}
    forced = {"id": 3, "event": "show", "player": "Ann", "ruling": {"verdict": "legal", "effects": effects}}
    said = ("Sing “Library Boy” for Cat.", "Cat picks up the pile. Dan to play.")
    assert speech_for([forced], "Dan") == said
    over = {"id": 4, "event": "game_over", "loser": "Bob"}
    assert speech_for([{"id": 5, "event": "out", "player": "Ann"}, over], "Bob") == (
        "Ann is out. Bob is the Shithead.",
        "",
    )


def voice(folder: Path, body: str) -> Path:
    """Write a program that stands in for espeak-ng."""
    program = folder / "espeak-ng"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("rules", "losses", "sung"),
    [
        ("winnersh", 2, "Sing “Once, Twice, Three Times A Shithead” for Cat."),
        ("backpacker", 0, "Cat says: “I am the Shithead!”"),
        ("winnersh", 1, ""),
    ],
)
def test_a_game_that_ends_because_it_is_said_who_is_out_has_its_song(
    rules: str, losses: int, sung: str
) -> None:
    judge = make_referee(rules, ("Ann", "Bob", "Cat"), losses={"Cat": losses})
    game = TouchGame(EventLog(judge))
    for player in ("Ann", "Bob"):
        lines = game.enter(entered_event("out", player))
    newest = newest_ruling(game.lines)
    assert newest is not None
    assert newest["player"] == "Bob"
    says, quote = ruling_text(newest["ruling"])
    assert says == f"Bob is out. Cat is the Shithead. {sung}".strip()
    assert quote
    assert called_rituals(game.lines) == (
        [("Cat", newest["ruling"]["effects"]["rituals"][0])] if sung else []
    )
    assert speech_for(lines, None)[0] == " ".join(filter(None, (sung, "Bob is out.", "Cat is the Shithead.")))


def said_in(out: Path) -> str:
    return out.read_text() if out.exists() else ""


def speaks_until(go_on: Path, out: Path) -> str:
    """Return the script of a voice that writes what it is given, and speaks until a file is there."""
    return f'cat >> {out}; echo >> {out}; while [ ! -e "{go_on}" ]; do sleep 0.01; done'


def test_a_sentence_goes_to_the_program_that_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words go in by the standard input, never on a command line: a name may be anything."""
    out = tmp_path / "said"
    voice(tmp_path, f'echo "$@" >> {out}; cat >> {out}')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    speaker = find_speaker()
    assert isinstance(speaker, ProgramSpeaker)
    speaker.say("$(rm) -x; Ann to play.")
    until(lambda: "play." in said_in(out))
    speaker.close()
    assert out.read_text() == "-v en --stdin\n$(rm) -x; Ann to play."


def test_a_german_app_has_a_german_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "said"
    voice(tmp_path, f'echo "$@" > {out}; cat >> {out}')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    set_language("de")
    try:
        feedback = Feedback(Settings(speak=True))
        feedback.say("Ann ist dran.")
        until(lambda: "dran." in said_in(out))
        feedback.close()
    finally:
        set_language("en")
    assert out.read_text() == "-v de --stdin\nAnn ist dran."


def test_what_waits_to_be_said_gives_way_to_what_is_newer(tmp_path: Path) -> None:
    out = tmp_path / "said"
    speaker = ProgramSpeaker(str(voice(tmp_path, speaks_until(tmp_path / "go on", out))))
    speaker.say("one")
    until(lambda: "one" in said_in(out))
    speaker.say("two")
    speaker.say("three")
    (tmp_path / "go on").touch()
    until(lambda: "three" in said_in(out))
    speaker.close()
    assert out.read_text().split() == ["one", "three"]


def test_a_breach_that_waits_to_be_said_is_not_dropped_for_the_next_turn(tmp_path: Path) -> None:
    out = tmp_path / "said"
    speaker = ProgramSpeaker(str(voice(tmp_path, speaks_until(tmp_path / "go on", out))))
    speaker.say("one")
    until(lambda: "one" in said_in(out))
    speaker.say("breach", lasting=True)
    speaker.say("two")
    speaker.say("three")
    (tmp_path / "go on").touch()
    until(lambda: "three" in said_in(out))
    speaker.close()
    assert out.read_text().split() == ["one", "breach", "three"]


def test_without_a_voice_there_is_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(find_speaker(), SilentSpeaker)


def test_the_sound_of_a_breach_is_short_and_audible(tmp_path: Path) -> None:
    write_tone(tmp_path / "a" / "tone.wav")
    with wave.open(str(tmp_path / "a" / "tone.wav")) as tone:
        assert 0.2 < tone.getnframes() / tone.getframerate() < 1.0
        samples = tone.readframes(tone.getnframes())
    assert max(samples) > 30


def test_settings_are_kept_and_damaged_ones_are_those_of_a_new_user(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.json"
    assert load_settings(path) == Settings()
    save_settings(Settings(language="de", speak=True, toured=True), path)
    assert load_settings(path) == Settings(language="de", speak=True, toured=True)
    path.write_text('{"language": "xx", "speak": "yes", "sound": true}')
    assert load_settings(path) == Settings(sound=True)
    for broken in ("", "[1]", "{", "\xff"):
        path.write_bytes(broken.encode("latin-1"))
        assert load_settings(path) == Settings()
