"""The judge and the simulation must agree: on what is legal, and on what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from engine.judging.judge import judge
from engine.judging.situation import ANTICLOCKWISE, CLOCKWISE
from engine.ruleset import RULESET_NAMES, load_ruleset
from engine.simulation.cheating import situation_of
from engine.simulation.choices import interruptions, legal_acts
from engine.simulation.play import CompiledRules
from engine.simulation.policies import random_act
from engine.simulation.table import FLIP, PICK_UP, PLAY, SHOW, Act, Table, cards_of, replaced

NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Fay")

TABLES = [(name, (), seats) for name in RULESET_NAMES for seats in (2, 3, 4)] + [
    ("jokers", ("4-colour",), 4),
    ("jokers", ("q-reverse", "10-not-on-7"), 3),
    ("jokers", ("q-reverse", "set-reverses-once", "jokers"), 6),
    ("jokers", ("four-through-3s",), 2),
    ("backpacker", ("computer-start",), 4),
    ("backpacker", ("up-card-pick-up",), 3),
    ("backpacker", ("down-pick-up",), 6),
    ("shed", ("suit-values",), 4),
    ("shed", ("bastard-card",), 4),
    ("shed", ("bastard-card",), 2),
    ("shed", ("flange-card", "four-anywhere"), 3),
    ("shed", (), 6),
    ("rulebook", ("burn-again",), 4),
]


def walk(game: CompiledRules, seed: int, acts: int) -> Iterator[tuple[Table, Act, Table]]:
    """Yield random steps of random games: the table, the act, the table after it."""
    rng = Random(seed)
    table = None
    for _ in range(acts):
        if table is None or table.turn < 0:
            table = game.deal(rng)
            table = table._replace(turn=rng.choice(game.starters(table, 0)))
        choices = interruptions(game, table)
        act = rng.choice(choices) if choices else random_act(game, table, rng)
        if rng.random() < 0.3:
            act = rng.choice(legal_acts(game, table))
        after = game.apply(table, act)
        yield table, act, after
        table = after


def _ids(case: tuple[str, tuple[str, ...], int]) -> str:
    return "-".join([case[0], *case[1], str(case[2])])


@pytest.fixture(params=TABLES, ids=_ids)
def game(request: pytest.FixtureRequest) -> CompiledRules:
    name, options, seats = request.param
    return CompiledRules(load_ruleset(name, options), seats)


def single_plays(game: CompiledRules, table: Table) -> Iterator[Act]:
    """Everything that could be tried with one card, and picking up."""
    seat = table.turn
    yield from (Act(PLAY, seat, hand=1 << card) for card in cards_of(table.hands[seat]))
    yield from (Act(PLAY, seat, up=1 << card) for card in cards_of(table.ups[seat]))
    yield from (Act(FLIP, seat, down=card) for card in cards_of(table.downs[seat]))
    yield Act(PICK_UP, seat)


def test_judge_says_legal_exactly_for_what_the_simulation_may_do(game: CompiledRules) -> None:
    players = NAMES[: game.seats]
    soft = game.mechanics.up_enters_hand  # an up-card or down-card played at once is noted, not called
    for table, _, _ in walk(game, seed=1, acts=120):
        legal = legal_acts(game, table)
        for act in (*legal, *interruptions(game, table)):
            ruling = judge(situation_of(game, table, players, act))
            assert ruling["verdict"] == "legal", (act, ruling["breaches"], table)
        for act in single_plays(game, table):
            if soft and not table.hands[act.player]:
                continue
            ruling = judge(situation_of(game, table, players, act))
            expected = {"legal"} if act in legal else {"illegal"}
            if act.kind == PICK_UP and not table.hands[act.player] and not table.ups[act.player]:
                expected.add("unproven")  # face-down cards decide it
            assert ruling["verdict"] in expected, (act, ruling, table)


def test_judge_and_simulation_agree_on_effects(game: CompiledRules) -> None:
    players = NAMES[: game.seats]
    for table, act, after in walk(game, seed=2, acts=250):
        effects = judge(situation_of(game, table, players, act))["effects"]
        told = (act, effects, table, after)
        assert effects["next"] == (players[after.turn] if after.turn >= 0 else None), told
        assert effects["direction"] == (CLOCKWISE if after.step == 1 else ANTICLOCKWISE[0]), told
        assert effects["draw"] == after.drawn - table.drawn, told
        assert effects["shithead"] == (players[after.loser] if after.loser >= 0 else None), told
        gone = [player for seat, player in enumerate(players) if (after.out & ~table.out) >> seat & 1]
        back = [player for seat, player in enumerate(players) if (table.out & ~after.out) >> seat & 1]
        assert effects["left"] == gone, told
        assert effects["back_in"] == back, told
        if act.kind in (PLAY, FLIP):
            pile_burned = bool(table.pile) and bool(after.burned >> table.pile[0] & 1)
            assert effects["burn"] == (pile_burned or _burned_alone(game, table, act, after)), told
        if effects["picks_up"] is not None:
            seat = players.index(effects["picks_up"])
            assert all(after.hands[seat] >> card & 1 for card in table.pile), told


def _burned_alone(game: CompiledRules, table: Table, act: Act, after: Table) -> bool:
    """Whether the played cards were burned on an empty pile, other than as cards that are always burned."""
    cards = act.hand | act.up if act.kind != FLIP else 1 << act.down
    forced = any(game.pack.ranks[card] in game.mechanics.forces_pick_up for card in cards_of(cards))
    return not table.pile and not forced and bool(after.burned & cards)


def test_every_card_is_always_somewhere_exactly_once(game: CompiledRules) -> None:
    everything = list(range(len(game.pack.codes)))
    for _, act, after in walk(game, seed=3, acts=400):
        assert sorted(game.everywhere(after)) == everything, act


def test_turn_order_passes_only_to_players_with_cards(game: CompiledRules) -> None:
    for _, act, after in walk(game, seed=4, acts=400):
        if after.turn >= 0:
            assert not after.out >> after.turn & 1, act
            held = after.hands[after.turn] | after.ups[after.turn] | after.downs[after.turn]
            assert held, (act, after)


def bits_of(game: CompiledRules, text: str) -> int:
    """Return the cards named in a text as the simulation holds them."""
    number = {code: card for card, code in enumerate(game.pack.codes)}
    return sum(1 << number[code] for code in text.split())


def nearly_over(
    pile: str, hands: tuple[str, ...], since: tuple[str, ...] = ()
) -> tuple[CompiledRules, Table]:
    """A Winnersh table near its end, the draw pile gone: who has an empty hand has left; Bob is to act."""
    game = CompiledRules(load_ruleset("winnersh"), len(hands))
    number = {code: card for card, code in enumerate(game.pack.codes)}
    bits = partial(bits_of, game)
    none = (0,) * len(hands)
    lying = bits(pile) | sum(bits(hand) for hand in hands)
    table = game.deal(Random(1))._replace(
        deck=(),
        hands=tuple(bits(hand) for hand in hands),
        ups=none,
        downs=none,
        pile=tuple(number[code] for code in pile.split()),
        burned=sum(game.pack.bits) & ~lying,
        turn=1,
        out=sum(1 << seat for seat, hand in enumerate(hands) if not hand),
        since=tuple(sum(1 << NAMES.index(name) for name in names.split()) for names in since) or none,
        acts=90,
    )
    assert sorted(game.everywhere(table)) == list(range(52))
    return game, table


@pytest.mark.parametrize("pile", ["", "9S", "9S KH"])
@pytest.mark.parametrize(
    ("hands", "since"),
    [
        (("", "3H 5H", "KD", "4D"), ("",) * 4),
        (("", "3H 5H", "3D", "3C 4D"), ("",) * 4),
        (("", "3H", "3D", "3C 4D"), ("Bob", "", "", "")),
        (("", "3H 5H", "KD", "4D"), ("Bob Cat Dan", "", "", "")),
        (("", "3H 5H", "", "4D"), ("", "", "Dan", "")),
        (("3S", "3H"), ("", "")),
        (("3S 4S", "3H"), ("", "")),
        (("KD", "3H 3D"), ("", "")),
    ],
)
def test_shows_near_the_end_agree(pile: str, hands: tuple[str, ...], since: tuple[str, ...]) -> None:
    game, table = nearly_over(pile, hands, since)
    players = NAMES[: game.seats]
    shows = [act for act in legal_acts(game, table) if act.kind == SHOW]
    assert shows
    for act in shows:
        after = game.apply(table, act)
        ruling = judge(situation_of(game, table, players, act))
        effects = ruling["effects"]
        told = (act, ruling, after)
        assert ruling["verdict"] == "legal", told
        assert effects["next"] == (players[after.turn] if after.turn >= 0 else None), told
        assert effects["shithead"] == (players[after.loser] if after.loser >= 0 else None), told
        assert set(effects["left"]) == {players[s] for s in cards_of(after.out & ~table.out)}, told
        assert set(effects["back_in"]) == {players[s] for s in cards_of(table.out & ~after.out)}, told


def test_who_left_is_shown_back_in_until_the_right_neighbour_has_had_a_turn() -> None:
    game, table = nearly_over("9S", ("", "3H 5H", "KD", "4D"))
    (show,) = (act for act in legal_acts(game, table) if act.kind == SHOW and act.to == 0)
    after = game.apply(table, show)
    assert (after.out, after.turn, game.pack.text(after.hands[0])) == (0, 1, ("9S",))
    _, closed = nearly_over("9S", ("", "3H 5H", "KD", "4D"), ("Bob Cat Dan", "", "", ""))
    assert not [act for act in legal_acts(game, closed) if act.kind == SHOW and act.to == 0]


@pytest.mark.parametrize(
    ("pile", "played", "burns"),
    [
        ("6H 6S", "6C 6D", True),
        ("6H 6S", "5H 6C", False),
        ("6H 6S 6D", "5H 6C", False),
        ("6H", "5H 10C", True),
        ("9C", "5H 6C 6D 6H 6S", True),
    ],
)
def test_a_set_of_two_ranks_adds_to_no_four_of_a_kind(pile: str, played: str, burns: bool) -> None:
    game, table = nearly_over(pile, ("9S 8S", f"{played} KD", "AD"))
    act = Act(PLAY, 1, hand=bits_of(game, played))
    assert (game.apply(table, act).pile == ()) == burns
    ruling = judge(situation_of(game, table, NAMES[:3], act))
    assert ruling["effects"]["burn"] == burns


@pytest.mark.parametrize("played", ["JOKER", "JOKER JOKER JOKER", "JOKER JOKER JOKER JOKER", "10H JOKER"])
def test_jokers_that_force_a_pick_up_never_burn_the_pile(played: str) -> None:
    game = CompiledRules(load_ruleset("shed", ("bastard-card",)), 5)
    codes = dict(enumerate(game.pack.codes))
    cards = 0
    for name in played.split():
        cards |= 1 << next(card for card, code in codes.items() if code == name and not cards >> card & 1)
    pile, kept = (next(card for card, code in codes.items() if code == name) for name in ("6S", "KD"))
    table = game.deal(Random(1))._replace(turn=1, pile=(pile,))
    table = table._replace(hands=replaced(table.hands, 1, cards | 1 << kept))
    act = Act(PLAY, 1, hand=cards)
    after = game.apply(table, act)
    effects = judge(situation_of(game, table, NAMES[:5], act))["effects"]
    assert (effects["burn"], effects["picks_up"]) == (False, "Cat")
    assert after.hands[2] >> pile & 1
    others = [card for card in cards_of(cards) if codes[card] != "JOKER"]
    assert all(after.hands[2] >> card & 1 for card in others), "they lay on the pile"
    assert not any(after.burned >> card & 1 for card in others)


@pytest.mark.parametrize(("played", "goes"), [("2C 7H", True), ("6C 7H", False), ("7H 9C", False)])
def test_a_set_of_two_ranks_that_stands_is_played_on_like_two_sets(played: str, goes: bool) -> None:
    """A glass 7 over a 2 lets anything follow, also if the two were wrongly played together."""
    game = CompiledRules(load_ruleset("shed"), 2)
    number = {code: card for card, code in enumerate(game.pack.codes)}
    table = game.deal(Random(1))._replace(
        hands=(bits_of(game, f"{played} KD"), bits_of(game, "3S AD")), pile=(number["5S"],), turn=0
    )
    after = game.apply(table, Act(PLAY, 0, hand=bits_of(game, played)))
    act = Act(PLAY, 1, hand=bits_of(game, "3S"))
    assert bool(game.playable[after.demand] & act.hand) == goes
    ruling = judge(situation_of(game, after._replace(turn=1), NAMES[:2], act))
    assert (ruling["verdict"] == "legal") == goes
