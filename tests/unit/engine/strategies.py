"""Hypothesis strategies: whatever may stand in a situation, however unlikely."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.cards import FULL_PACK, RANKS
from engine.ruleset import RULESET_NAMES, load_ruleset

PLAYERS = ["P1", "P2", "P3", "P4"]

players = st.sampled_from(PLAYERS)
card = st.sampled_from([*FULL_PACK, *RANKS, "JOKER", "??"])
cards = st.lists(card, max_size=6)
maybe_cards = st.none() | cards
counts = st.none() | st.integers(0, 12)
holding = st.fixed_dictionaries(
    {},
    optional={
        "hand": maybe_cards,
        "up": st.none() | st.lists(card, max_size=3),
        "down": st.none() | st.integers(0, 3),
    },
)
rules_and_options = st.sampled_from(RULESET_NAMES).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.lists(st.sampled_from([*load_ruleset(name).available] or [""]), unique=True, max_size=3),
    )
)
actions = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("play"),
            "player": st.none() | players,
            "cards": st.lists(card, min_size=1, max_size=5),
        },
        optional={"source": st.sampled_from(["hand", "up", "down", "hand+up"])},
    ),
    st.fixed_dictionaries({"type": st.just("pick_up"), "player": players}, optional={"count": counts}),
    st.fixed_dictionaries(
        {"type": st.just("show"), "player": players, "cards": cards},
        optional={
            "to": st.none() | players,
            "answers": st.lists(st.lists(players, min_size=2, max_size=2), max_size=3),
            "answered_from": st.sampled_from(["hand", "up", "down"]),
        },
    ),
    st.fixed_dictionaries({"type": st.just("flip"), "player": players}, optional={"card": card}),
    st.fixed_dictionaries({"type": st.just("take_up"), "player": players, "cards": cards}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["take_down", "draw"]), "player": players}, optional={"count": counts}
    ),
    st.fixed_dictionaries(
        {"type": st.just("exchange"), "player": players},
        optional={"hand_out": maybe_cards, "up_out": maybe_cards, "count": counts},
    ),
)


@st.composite
def situations(draw: st.DrawFn) -> dict[str, Any]:
    rules, options = draw(rules_and_options)
    fields = {
        "dealer": st.none() | players,
        "turn": st.none() | players,
        "direction": st.sampled_from([None, "clockwise", "anticlockwise"]),
        "pile": maybe_cards,
        "draw_pile": counts,
        "burned": maybe_cards,
        "cards": st.none() | st.dictionaries(players, holding, max_size=4),
        "left": st.none()
        | st.dictionaries(
            players,
            st.none() | st.fixed_dictionaries({}, optional={"turns_since": st.lists(players, max_size=3)}),
            max_size=3,
        ),
        "opening": st.none() | st.booleans(),
        "last_set": st.none() | st.integers(0, 4),
    }
    situation = draw(st.fixed_dictionaries({}, optional=fields))
    return situation | {
        "rules": rules,
        "options": [option for option in options if option],
        "players": PLAYERS,
        "action": draw(actions),
    }
