"""Whole people rest their hands, hold fans and act besides the game, and the game stays the same."""

from __future__ import annotations

import random
from functools import lru_cache

import pytest

from datasets.art.cards import RANKS
from datasets.films.choreography.choreograph import choreograph
from datasets.films.choreography.layout import make_layout
from datasets.films.choreography.liveliness import random_liveliness
from datasets.films.choreography.stage import random_manner
from datasets.films.choreography.tabletop import random_habits
from datasets.films.geometry import look_at_table
from datasets.films.people.acting import PeopleStage, name_fans, people_gestures, seated
from datasets.films.people.company import company_at
from datasets.films.people.levels import LEVELS, level_of
from datasets.films.story import Story, find_story
from datasets.films.timeline import Timeline
from engine.errors import BadInputError

PLAYERS = ("Ann", "Bob", "Cat")
TABLE = (900.0, 600.0)
CAMERA = look_at_table(640, 360, table=TABLE)


@lru_cache(maxsize=32)
def evening(level: int, seed: int = 5) -> tuple[Story, PeopleStage, Timeline]:
    """Return one story, the stage on which people of a level played it, and its timeline."""
    rng = random.Random(seed)
    story = find_story("winnersh", PLAYERS, seed, acts=11)  # so few that none is searched for
    layout = seated(make_layout(PLAYERS, 3, TABLE, CAMERA, rng))
    manners = {player: random_manner(rng, 0.5) for player in PLAYERS}
    lively = random_liveliness(layout, CAMERA, rng)
    stage = PeopleStage(layout, manners, rng, LEVELS[level], lively.standing)
    company = company_at(lively, LEVELS[level])
    habits = random_habits(rng, len(PLAYERS))
    return (
        story,
        stage,
        choreograph(story, layout, manners, habits, rng, company, stage, people_gestures(stage)),
    )


def held_at(stage: PeopleStage, player: str, t: float) -> int:
    return sum(one.player == player and one.from_s <= t < one.to_s for one in stage.held_cards)


def test_the_same_seed_gives_the_same_evening() -> None:
    first = evening(2)[2]
    evening.cache_clear()
    assert evening(2)[2] == first


@pytest.mark.parametrize("level", range(len(LEVELS)))
def test_every_level_shows_the_same_events_in_the_same_order(level: int) -> None:
    def told(timeline: Timeline) -> list[tuple[object, ...]]:
        return [(a.line["event"], a.line.get("player"), a.line.get("cards")) for a in timeline.actions]

    assert told(evening(level)[2]) == told(evening(0)[2])


def test_hands_are_in_the_lap_at_level_0_and_rest_in_sight_from_level_1() -> None:
    for level, resting in ((0, {"away"}), (1, {"rest", "fan"})):
        _, stage, _ = evening(level)
        grips = {stage.home((player, hand)).grip for player in PLAYERS for hand in ("main", "other")}
        assert grips == resting


def test_a_fan_has_as_many_cards_as_the_hand() -> None:
    story, stage, timeline = evening(1)
    counts: dict[str, int] = dict.fromkeys(PLAYERS, story.hand_count)
    for action in timeline.actions:
        line, player = action.line, str(action.line.get("player"))
        if line["event"] == "draw":
            counts[player] += int(str(line["count"]))
        elif line["event"] == "pick_up":
            cards = line["cards"]
            assert isinstance(cards, list)
            counts[player] += len(cards)
        elif line["event"] == "play" and line["source"] == "hand":
            cards = line["cards"]
            assert isinstance(cards, list)
            counts[player] -= len(cards)
        elif line["event"] not in ("deal", "exchange", "burn"):
            break
        assert held_at(stage, player, action.end_s + 0.01) == counts[player] if player in counts else True


def test_no_card_of_a_fan_lies_on_the_table_while_it_is_held() -> None:
    _, stage, timeline = evening(1)
    seen = {move.card for move in timeline.card_moves if move.card} - stage.objects
    deck = [rank + suit for suit in "CDHS" for rank in RANKS]
    name_fans(stage.held_cards, deck, seen, random.Random(1))
    assert all(one.card for one in stage.held_cards)
    hidden = [one.card for one in stage.held_cards if one.card not in seen]
    assert len(hidden) == len(set(hidden))


def test_nobody_leans_or_drinks_below_level_2() -> None:
    for level in (0, 1):
        _, stage, timeline = evening(level)
        assert not stage.leans
        assert not [move for move in timeline.card_moves if move.card in stage.objects and move.arm]


def test_people_lean_and_point_from_level_2_on() -> None:
    stages = [evening(2, seed) for seed in (5, 6, 7)]
    assert any(stage.leans for _, stage, _ in stages)
    grips = {move.end.grip for _, _, timeline in stages for move in timeline.arm_moves}
    assert grips & {"show", "open"}


def test_a_played_card_comes_out_of_the_fan() -> None:
    _, stage, timeline = evening(1)
    fans = {(seat.player, "other"): stage.home((seat.player, "other")) for seat in stage.layout.seats}
    plays = [a for a in timeline.actions if a.line["event"] == "play" and a.line["source"] == "hand"]
    for action in plays:
        arm = (str(action.line["player"]), "main")
        fan = fans[arm[0], "other"]
        moves = [
            m for m in timeline.card_moves if m.arm == arm and action.start_s <= m.start_s < action.end_s
        ]
        assert moves[0].start.x == pytest.approx(fan.x)
        assert moves[0].start.y == pytest.approx(fan.y)


def test_there_is_no_level_4() -> None:
    with pytest.raises(BadInputError, match="from 0 to 3"):
        level_of(4)
