"""Properties that hold for every game and every situation, whatever happens at the table."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import FULL_PACK, RANKS
from engine.events import EVENT_KINDS, Event
from engine.judging.judge import judge
from engine.notation.record import Record
from engine.referee.referee import Referee
from engine.ruleset import RULESET_NAMES, load_ruleset
from engine.simulation.play import CompiledRules
from engine.simulation.policies import POLICIES
from engine.simulation.simulate import play_game, play_out
from tests.unit.engine.strategies import PLAYERS, card, counts, players, rules_and_options, situations


@given(situations())
@settings(max_examples=150, deadline=None)
def test_judge_never_raises_on_what_players_do(situation: dict[str, Any]) -> None:
    ruling = judge(situation)
    assert ruling["verdict"] in ("legal", "illegal", "unproven")
    assert (ruling["verdict"] == "illegal") == bool(ruling["breaches"])
    assert (ruling["verdict"] == "unproven") == ("needs" in ruling)
    rules = load_ruleset(situation["rules"], situation["options"])
    for breach in ruling["breaches"]:
        rule = rules.rules[breach["rule"]]
        assert (breach["cite"], breach["quote"]) == (rule.cite, rule.quote)
        assert breach["says"][0].isupper() or not breach["says"][0].isalpha()
        assert breach["says"].endswith(".")
    effects = ruling["effects"]
    assert effects["next"] is None or effects["next"] in PLAYERS
    assert effects["next"] not in effects["left"]
    assert json.loads(json.dumps(ruling)) == ruling


@given(situations(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_a_proven_verdict_survives_whatever_the_hidden_cards_are(
    situation: dict[str, Any], rng: Random
) -> None:
    """A proven verdict must be the same for every way the unidentified hand cards may turn out."""
    verdict = judge(situation)["verdict"]
    if verdict == "unproven":
        return
    table = situation.get("cards") or {}
    player = situation["action"]["player"] or situation.get("turn")
    hand = (table.get(player) or {}).get("hand")
    if situation["action"]["type"] not in ("play", "pick_up") or not hand or "??" not in hand:
        return
    played = list(situation["action"].get("cards", ()))
    if "??" in played or any(c in RANKS for c in (*played, *hand)) or set(played) - set(hand):
        return  # which of the unknown cards was played is another question
    filled = [rng.choice(FULL_PACK) if c == "??" else c for c in hand]
    known = {**situation, "cards": {**table, player: {**table[player], "hand": filled}}}
    assert judge(known)["verdict"] == verdict


@st.composite
def event_lists(draw: st.DrawFn) -> list[Event]:
    somebody = st.none() | st.sampled_from([*PLAYERS, "nobody"])
    some = st.builds(
        Event,
        id=st.integers(1, 40),
        event=st.sampled_from(EVENT_KINDS),
        player=somebody,
        cards=st.lists(card, max_size=4).map(tuple),
        source=st.sampled_from([None, "hand", "up", "down", "hand+up"]),
        to=somebody,
        answers=st.lists(st.tuples(players, players), max_size=2).map(tuple),
        answered_from=st.sampled_from([None, "hand", "up", "down"]),
        count=counts,
        up=st.dictionaries(players, st.lists(card, max_size=3).map(tuple), max_size=4),
        loser=somebody,
        revise=st.none() | st.integers(1, 40),
        withdrawn=st.booleans(),
    )
    return [event.renumbered(number) for number, event in enumerate(draw(st.lists(some, max_size=25)), 1)]


@given(rules_and_options, event_lists())
@settings(max_examples=150, deadline=None)
def test_referee_never_raises_and_replay_equals_play(
    chosen: tuple[str, list[str]], events: list[Event]
) -> None:
    rules, options = chosen
    referee = Referee(rules, PLAYERS, options=[option for option in options if option])
    for event in events:
        referee.observe(event)
        for view in referee.table.hands.values():
            assert view.size is not None
            assert len(view.known) <= view.size
    again = Referee(referee.rules, PLAYERS)
    for event in referee.events:
        again.observe(event)
    assert again.table == referee.table
    assert again.outcomes.keys() == referee.outcomes.keys()
    assert [o.ruling for o in again.outcomes.values()] == [o.ruling for o in referee.outcomes.values()]
    log = Record(rules=referee.rules, players=tuple(PLAYERS), log=referee.log)
    assert log.referee().table == referee.table


@given(
    st.sampled_from(RULESET_NAMES),
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.sampled_from(sorted(POLICIES)),
)
@settings(max_examples=25, deadline=None)
def test_all_cards_are_accounted_for_at_every_step(rules: str, seed: int, seats: int, policy: str) -> None:
    game = play_game(rules, ["A", "B", "C", "D", "E"][:seats], seed, policy, cheats=seed % 3, quiet_acts=150)
    pack = sorted(game.steps[0].after.draw_pile)
    for step in game:
        after = step.after
        rows = [*after.hands.values(), *after.up.values(), *after.down.values()]
        rows += [after.pile, after.draw_pile, after.burned]
        everywhere = sorted(c for row in rows for c in row if c is not None)
        if step is game.steps[0]:
            pack = everywhere
        assert everywhere == pack, step.event
    assert len(pack) == 52 * (2 if rules == "shed" and seats > 4 else 1)


@given(st.sampled_from(RULESET_NAMES), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_public_view_never_holds_a_hidden_card(rules: str, seed: int) -> None:
    """Nobody may read off the table for screens what was never shown to everybody."""
    game = play_game(rules, PLAYERS, seed, cheats=seed % 2, quiet_acts=100)
    referee, seen = Referee(rules, PLAYERS, dealer=game.dealer), set()
    for step in game:
        referee.observe(step.event)
        event = step.event
        seen |= set(event.cards) | {c for row in event.up.values() for c in row}
        table = referee.table
        shown = [c for view in table.hands.values() for c in view.known]
        shown += [*table.pile, *table.burned, *(c for row in table.up.values() for c in row)]
        assert {c for c in shown if c not in ("??", "3")} <= seen, event


@given(st.sampled_from(RULESET_NAMES), st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_the_same_seed_gives_the_same_game(rules: str, seed: int, seats: int) -> None:
    game = CompiledRules(load_ruleset(rules), seats)
    one, other = (play_out(game, Random(seed), POLICIES["random"]) for _ in range(2))
    assert one == other
    assert one.loser >= 0 or one.acts >= 1000


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_games_end_or_hit_the_cap(rules: str) -> None:
    game = CompiledRules(load_ruleset(rules), 3)
    rng = Random(5)
    ended = sum(play_out(game, rng, POLICIES["sensible"], quiet_acts=400).loser >= 0 for _ in range(20))
    assert ended >= 15
