"""What close pictures of the play pile settle: cards tossed on to it, taken back, misread beside a play."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.support.event_script import BURN_AT, DRAW_AT, PLAY_AT, Script, bob_draws, card, down
from vision.following.close_ups import PicturePair
from vision.following.looks import UnderArm
from vision.following.new_cards import NewCardFilter
from vision.following.pile import Pile
from vision.following.sets import NewCard
from vision.table.layout import DRAW, PLAY
from vision.table.observations import Observation

BESIDE = (PLAY_AT[0], -105.0)
"""Where a hand is not over the pile."""


def pictured() -> Script:
    script = Script()
    script.drawn = {}
    return script


def on_pile(name: str, dx: float, dy: float, p: float = 0.99) -> tuple[str, tuple[float, float], float]:
    return name, (PLAY_AT[0] + dx, PLAY_AT[1] + dy), p


def look_three_times(script: Script) -> None:
    for _ in range(3):
        script.rest(0.2)
        script.look()


def test_a_card_that_is_tossed_on_to_the_pile_is_played_by_whose_hand_was_near() -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("6S", 0, 0)))
    script.reach("Bob", (BESIDE, 0.2))
    script.table.append(card(*on_pile("KD", 8, 3)))
    look_three_times(script)
    assert script.told()[1:] == [("play", "Ann", ("6S",)), ("play", "Bob", ("KD",))]


def test_without_a_hand_near_nothing_is_tossed() -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("6S", 0, 0)))
    script.rest(4.0)
    script.table.append(card(*on_pile("KD", 8, 3)))
    look_three_times(script)
    assert script.told()[1:] == [("play", "Ann", ("6S",))]


def test_what_looks_as_before_was_not_tossed() -> None:
    script = pictured()
    script.drawn = {"KD": "6S"}
    script.play("Ann", card(*on_pile("6S", 0, 0)))
    script.reach("Bob", (BESIDE, 0.2))
    script.table = [card(*on_pile("KD", 0, 0))]
    look_three_times(script)
    assert script.told()[1:] == [("play", "Ann", ("6S",))]


def test_a_card_taken_back_from_one_of_its_rank_and_put_down_again_with_another_is_one_play() -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("6D", 0, 0)))
    six = card(*on_pile("6S", 10, 6))
    script.play("Bob", six)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.remove(six)
    script.rest(1.6)
    assert script.told()[1:] == [("play", "Ann", ("6D",))], "it is withdrawn before anything else happens"
    script.play("Bob", six)
    script.play("Bob", card(*on_pile("6H", 20, 2)))
    assert script.told()[1:] == [("play", "Ann", ("6D",)), ("play", "Bob", ("6S", "6H"))]


def test_a_card_that_the_reader_overlooks_is_not_taken_back() -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("6D", 0, 0)))
    six = card(*on_pile("6S", 10, 6))
    script.play("Bob", six)
    script.drawn = {"6D": "6D"}
    script.reach("Bob", (PLAY_AT, 0.3))
    seen, script.cards = script.cards, lambda: [c for c in seen() if c is not six]  # type: ignore[method-assign]
    script.rest(1.6)
    assert script.told()[1:] == [("play", "Ann", ("6D",)), ("play", "Bob", ("6S",))]


@pytest.mark.parametrize(("reads_four", "cards"), [(0.1, ("6H", "KD")), (0.3, ("KD",))])
def test_a_card_of_which_the_rank_alone_is_told_lies_below_if_its_player_draws_for_it(
    reads_four: float, cards: tuple[str, ...]
) -> None:
    """What else it may be counts as well: a rank that is told no better than another is not told."""
    script = pictured()
    script.play("Ann", card(*on_pile("8S", 0, 0)))
    script.drawn = {"6H": "6D"}
    x, y = PLAY_AT
    half_read = Observation(x, y - 25, 90, "up", {"6H": 0.28, "6D": 0.21, "4D": reads_four})
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table += [half_read, card(*on_pile("KD", 4, 6))]
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("KD",))]
    bob_draws(script, trips=2)
    assert script.told()[2:] == [("play", "Bob", cards), ("draw", "Bob", ())]


@pytest.mark.parametrize(("reads_ten", "below"), [(0.65, "KD"), (0.93, "10D")])
def test_what_its_player_draws_for_has_the_rank_of_the_set_unless_another_is_surely_read(
    reads_ten: float, below: str
) -> None:
    """A set of two ranks is a breach, so a guess is not enough for it."""
    script = pictured()
    script.play("Ann", card(*on_pile("8S", 0, 0)))
    script.drawn = {"10D": below}
    x, y = PLAY_AT
    half_read = Observation(x, y - 25, 90, "up", {"10D": reads_ten, "KD": 0.06, "9D": 0.01})
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table += [half_read, card(*on_pile("KS", 4, 6))]
    script.rest()
    bob_draws(script, trips=2)
    assert set(script.told()[2][2]) == {"KS", below}


@pytest.mark.parametrize(("truly", "told"), [("6H", [("play", "Bob", ("6H",))]), ("7H", [])])
def test_what_alone_is_new_was_put_down_where_all_of_its_place_looks_otherwise(
    truly: str, told: list[tuple[str, str, tuple[str, ...]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("7H", 0, 0)))
    monkeypatch.setattr(PicturePair, "lay_there", lambda *_: True)  # an index like one that lay there
    script.drawn = {"6H": truly}
    script.reach("Bob", (PLAY_AT, 0.4))
    at = (10, 20) if truly == "6H" else (0, 0)
    script.table = [*([] if truly == "7H" else script.table), card(*on_pile("6H", *at, 0.96))]
    script.rest()
    assert script.told()[2:] == told


@pytest.mark.parametrize(
    ("name", "told"), [("6H", [("Ann", ("7H",)), ("Bob", ("6H",))]), ("7S", [("Ann", ("7S", "7H"))])]
)
def test_what_only_later_looks_show_was_put_down_by_who_was_there_last_unless_it_is_of_the_set(
    name: str, told: list[tuple[str, tuple[str, ...]]]
) -> None:
    script = pictured()
    script.play("Dan", card(*on_pile("4S", -20, -20)))
    script.play("Ann", card(*on_pile("7H", 0, 0)))
    late = card(*on_pile(name, 14, 30))
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.append(late)
    seen, script.cards = script.cards, lambda: [c for c in seen() if c is not late]  # type: ignore[method-assign]
    script.rest(2.5)
    script.cards = seen  # type: ignore[method-assign]
    look_three_times(script)
    assert [(player, cards) for _, player, cards in script.told()[2:]] == told


def test_a_card_that_shows_less_beside_those_upon_it_is_not_drawn_for() -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("4D", 0, 0)))
    x, y = PLAY_AT
    script.drawn = {"4D": "9C"}  # what shows of its index looks otherwise
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [Observation(x, y, 90, "up", {"4D": 0.85, "4H": 0.1}), card(*on_pile("8D", 6, 12))]
    script.rest()
    bob_draws(script, trips=2)
    assert script.told()[2:] == [("play", "Bob", ("8D",)), ("draw", "Bob", ())]


def test_a_lower_card_that_is_misread_beside_a_play_was_to_be_seen_before() -> None:
    script = pictured()
    script.play("Ann", card(*on_pile("6D", 0, 0)))
    five = card(*on_pile("5H", 40, 36))
    script.table.append(five)
    script.leave("Bob", five)
    script.drawn = {"QC": "6D"}
    script.table = [card(*on_pile("QC", 0, 0, 0.999)), five]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("6D",)), ("play", "Bob", ("5H",))]


def test_what_was_seen_free_and_is_no_new_card_is_not_burnt_as_one() -> None:
    script = Script()
    script.play("Ann", card(*on_pile("KS", 0, 0)))
    ten = card(*on_pile("10C", 10, 4))
    misread = card(*on_pile("KC", 0, 0, 0.96))
    reach = script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [card("KC", PLAY_AT, 0.9), ten]
    for _ in range(2):
        script.look([UnderArm(reach.seat, misread, 0.6, False)], frozenset({PLAY}))
        script.go_on(reach, [PLAY_AT] * 2, over=[PLAY])
    script.rest()
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT)]
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("10C",)), ("burn", "Bob", ("KS", "10C"))]


def test_an_arm_over_the_draw_pile_on_its_way_to_the_burn_pile_draws_nothing() -> None:
    """What it has put there seems a part of it at first, and its tip to be at the draw pile."""
    script = Script()
    script.play("Bob", card(*on_pile("7S", 0, 0)))
    script.play("Ann", card(*on_pile("10D", 4, 3)))
    burnt = card("10D", BURN_AT)
    reach = script.reach("Ann", (BURN_AT, 0.0), (PLAY_AT, 0.4))
    script.table = []
    script.go_on(reach, [DRAW_AT] * 4, over=[DRAW])
    for _ in range(3):
        script.look([UnderArm(reach.seat, burnt, 0.2, False)], frozenset({DRAW}))
        script.go_on(reach, [DRAW_AT] * 4, over=[DRAW])
    script.table = [burnt]
    script.rest(2.0)
    assert [kind for kind, _, _ in script.told()[1:]] == ["play", "play", "burn"]


@pytest.mark.parametrize("truly", ["AS", "AC"])
def test_a_card_half_under_a_mate_is_the_one_of_its_colour_that_lay_there_if_the_rest_looks_as_before(
    truly: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too little shows of its index for that to be compared."""
    script = pictured()
    script.drawn = {"AS": "AS"}
    script.play("Ann", card(*on_pile("AS", 0, 0)))
    script.drawn = {"AC": truly}
    x, y = PLAY_AT[0] + (0 if truly == "AS" else 12), PLAY_AT[1]
    monkeypatch.setattr(PicturePair, "lay_there", lambda *_: False)
    monkeypatch.setattr(PicturePair, "shows_new", lambda *_: True)
    half_read = Observation(x, y, 90.0, "up", {"AC": 0.74, "AS": 0.24})
    lower = [] if truly == "AS" else [card(*on_pile("AS", 0, 0))]
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [*lower, half_read, card(*on_pile("AH", 0, -30))]
    script.rest()
    cards = {"AH"} if truly == "AS" else {"AH", "AC"}
    assert [set(names) for _, _, names in script.told()[2:]] == [cards]


def test_a_card_that_one_of_the_looks_shows_is_not_taken_back() -> None:
    """The reader overlooks it in others; as it was told beside a hand, no picture shows how it was left."""
    script = pictured()
    script.play("Ann", card(*on_pile("6D", 0, 0)))
    six = card(*on_pile("6S", 10, 6))
    script.table.append(six)
    script.leave("Bob", six)
    seen, shows = script.cards, iter([False, True, False])
    script.cards = lambda: [c for c in seen() if c is not six or next(shows, True)]  # type: ignore[method-assign]
    script.rest(1.6)
    assert script.told()[1:] == [("play", "Ann", ("6D",)), ("play", "Bob", ("6S",))]


@pytest.mark.parametrize("otherwise", [True, False])
def test_a_card_read_well_just_upon_another_is_new_where_all_of_its_place_looks_otherwise(
    otherwise: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The indices of a heart and a diamond look much alike."""
    script = pictured()
    script.play("Ann", card(*on_pile("4D", 0, 0, 0.99)))
    monkeypatch.setattr(PicturePair, "lay_there", lambda *_: True)
    monkeypatch.setattr(PicturePair, "shows_new", lambda *_: False)
    monkeypatch.setattr(PicturePair, "looks_otherwise", lambda *_: otherwise)
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [Observation(*PLAY_AT, 90.0, "up", {"4H": 0.96, "4D": 0.03})]
    script.rest()
    assert script.told()[2:] == [("play", "Bob", ("4H",))] * otherwise


@pytest.mark.parametrize(
    ("otherwise", "read_before", "cards"),
    [
        (True, False, ("8H", "5D")),
        (False, False, ("8H",)),
        (True, True, ("8H",)),
    ],
)
def test_a_card_of_which_one_corner_looks_as_before_came_with_the_play_where_all_else_does_not(
    otherwise: bool, read_before: bool, cards: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare corner of what lay there may be just where its own one is. What was read before lay there."""
    script = pictured()
    script.play("Ann", card(*on_pile("6S", 0, 0)))
    five = card(*on_pile("5D", 20, 0), angle=3.0)
    if read_before:
        script.table.append(card(*on_pile("5D", 20, 0, 0.4), angle=3.0))
        script.look()
    monkeypatch.setattr(NewCardFilter, "lay_there", lambda self, new: new[0] == "5D")
    monkeypatch.setattr(PicturePair, "looks_otherwise_beside", lambda *_: otherwise)
    script.table = script.table[:1]
    script.play("Bob", five, card(*on_pile("8H", -10, 0), angle=3.0))
    assert script.told()[2:] == [("play", "Bob", cards)]


def test_a_card_named_as_it_was_read_under_the_hand_may_have_another_name_when_it_lies_free() -> None:
    """The name of a new card need not be among those that its latest reading may have."""
    free = Observation(0.0, 0.0, 90.0, "up", {"8D": 0.5, "6D": 0.3})
    newest = SimpleNamespace(player="Ann", cards=("9C",), t=9.0)
    log = SimpleNamespace(newest=newest, in_one_reach=lambda play, now: True)
    known = NewCardFilter(Pile(), None, None, log)  # type: ignore[arg-type]
    seen = [NewCard("9S", 0.98, card("9S", PLAY_AT)), NewCard("5H", 0.95, free)]
    assert known.without_misread_beside_last(seen, "Ann", 10.0, sure=0.75) == seen[:1]
