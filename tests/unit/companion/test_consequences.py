"""What players do about a breach, as it is offered and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.game.clips import CLIP_S, MAX_CLIPS, ClipBuffer
from companion.game.consequences import (
    consequence_event,
    consequence_rule,
    possible_consequences,
    unsettled_breach,
)
from companion.i18n.events import event_text
from engine.events import Event
from engine.referee.referee import Referee
from vision.types import CardReading

PLAYERS = ("Ann", "Bob", "Cat")


@dataclass(frozen=True)
class _Table:
    pile: Sequence[str] = ("9", "5")


def act(number: int, player: str, verdict: str = "legal", event: str = "play", **more: Any) -> dict[str, Any]:
    breaches = [{"rule": "play.test", "cite": "Winnersh §5", "says": "No."}] if verdict == "illegal" else []
    ruling = {"verdict": verdict, "breaches": breaches}
    return {"id": number, "event": event, "player": player, "cards": ["5"], "ruling": ruling, **more}


BREACH = act(2, "Bob", "illegal")


@pytest.mark.parametrize(
    ("lines", "asks"),
    [
        ([act(1, "Ann"), BREACH], True),
        ([act(1, "Ann"), BREACH, act(3, "Bob", event="draw")], True),
        ([act(1, "Ann"), BREACH, act(3, "Cat")], False),
        (
            [BREACH, {"id": 3, "event": "consequence", "player": "Bob", "concerns": 2, "says": "stands"}],
            False,
        ),
        ([act(1, "Ann")], False),
        ([], False),
    ],
    ids=["just now", "drawn", "the next has acted", "decided", "no breach", "nothing"],
)
def test_a_breach_is_asked_about_until_it_is_decided_or_the_next_player_acts(
    lines: list[dict[str, Any]], asks: bool
) -> None:
    assert (unsettled_breach(lines) is not None) == asks


def test_only_what_is_possible_is_offered() -> None:
    assert possible_consequences(BREACH, _Table()) == ("taken_back", "picked_up", "stands")
    assert possible_consequences(BREACH, _Table(())) == ("taken_back", "stands")
    late = {"id": 4, "event": "late_breach", "player": "Bob", "concerns": 2}
    assert possible_consequences(late, _Table()) == ("picked_up", "stands")
    assert possible_consequences(act(2, "Bob", "illegal", "pick_up"), _Table()) == ("taken_back", "stands")


def test_no_published_ruleset_names_a_penalty_but_a_house_variant_may(tmp_path: Path) -> None:
    assert consequence_rule("winnersh") is None
    assert consequence_rule(str(tmp_path / "gone.toml")) is None
    house = tmp_path / "house.toml"
    house.write_text(
        'name = "Ours"\nbase = "winnersh"\n[rules."house.breach"]\n'
        'quote = "Who plays wrongly picks up the pile."\ndecides = ["breach"]\n'
    )
    rule = consequence_rule(str(house))
    assert rule is not None
    assert rule.quote == "Who plays wrongly picks up the pile."
    assert possible_consequences(BREACH, _Table(), rule) == ("taken_back", "picked_up", "stands", "by_rule")


def test_a_choice_is_recorded_with_the_breach_and_read_back() -> None:
    event = consequence_event(BREACH, "picked_up", 12.0)
    line = Event.from_json(event.to_json()).to_json()
    assert (line["event"], line["player"], line["concerns"], line["says"]) == (
        "consequence",
        "Bob",
        2,
        "picked_up",
    )
    assert line["breach"]["cite"] == "Winnersh §5"
    assert event_text(line) == "Bob picks up the pile after a breach"
    by_rule = consequence_event(BREACH, "by_rule", 13.0).to_json()
    assert event_text(by_rule) == "Bob does what the house rule says about a breach"


def test_the_pile_that_is_picked_up_is_in_the_hand_and_no_act_of_anybodys_turn() -> None:
    referee = Referee("winnersh", PLAYERS, dealer="Cat")
    for number, (player, card) in enumerate((("Ann", "9S"), ("Bob", "5D")), start=1):
        referee.observe(Event(id=number, event="play", player=player, cards=(card,), source="hand", t=number))
    outcome = referee.observe(
        Event(id=3, event="consequence", player="Bob", says="picked_up", concerns=2, t=3.0)
    )
    assert outcome.ruling is None
    assert (referee.table.turn, list(referee.table.pile)) == ("Cat", [])
    assert sorted(referee.table.hands["Bob"].known) == ["5D", "9S"]
    seen = referee.observe(Event(id=4, event="pick_up", player="Bob", cards=("9S", "5D"), t=4.0))
    assert seen.confirms, "a camera sees what was agreed"
    assert referee.table.turn == "Cat"


def _reading(card: str) -> CardReading:
    quad = np.array([[64, 36], [128, 36], [128, 108], [64, 108]], np.float32)
    return CardReading(quad, "up", 0.99, card, 0.99)


def _filled(seconds: float) -> ClipBuffer:
    buffer = ClipBuffer()
    for number in range(int(seconds * 15)):
        buffer.add(np.full((360, 640, 3), number % 255, np.uint8), number / 15)
    return buffer


def test_the_last_five_seconds_before_a_ruling_are_kept_with_its_cards_outlined() -> None:
    buffer = _filled(20.0)
    buffer.pin(
        [act(7, "Ann", t=17.0), act(8, "Bob", event="draw", t=18.0, ruling=None)],
        [_reading("5"), _reading("KH")],
        (640, 360),
    )
    clip = buffer.clip(7)
    assert clip is not None
    assert buffer.clip(8) is None, "nothing was ruled on"
    times = [t for t, _jpeg in clip.frames]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(17.6, abs=0.2)
    assert times[-1] - times[0] == pytest.approx(CLIP_S, abs=0.3)
    picture = cv2.imdecode(np.frombuffer(clip.frames[0][1], np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (360, 640, 3)
    ((card, corners),) = clip.outlines
    assert card == "5"
    assert corners[0] == pytest.approx((0.1, 0.1))
    assert corners[2] == pytest.approx((0.2, 0.3))


def test_only_the_newest_clips_are_in_memory_and_none_of_the_game_before() -> None:
    buffer = _filled(10.0)
    buffer.pin([act(number, "Ann", t=9.0) for number in range(1, MAX_CLIPS + 4)], (), (640, 360))
    clips = [buffer.clip(number) for number in range(1, MAX_CLIPS + 4)]
    assert [clip is not None for clip in clips] == [False] * 3 + [True] * MAX_CLIPS
    held = sum(len(jpeg) for clip in clips if clip is not None for _t, jpeg in clip.frames)
    assert held < MAX_CLIPS * 4_000_000
    buffer.clear()
    assert buffer.clip(MAX_CLIPS) is None


def test_a_clock_that_begins_anew_does_not_mix_two_films() -> None:
    buffer = _filled(8.0)
    buffer.add(np.zeros((360, 640, 3), np.uint8), 0.0)
    buffer.pin([act(1, "Ann", t=0.0)], (), (640, 360))
    clip = buffer.clip(1)
    assert clip is not None
    assert [t for t, _jpeg in clip.frames] == [0.0]
