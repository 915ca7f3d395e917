"""Games with two packs: cards alike are two, and one that is seen twice is one."""

from __future__ import annotations

from dataclasses import replace

from tests.support.event_script import BURN_AT, PLAY_AT, Script, card, down
from tests.support.told_pictures import ALL_NEW, told_pair
from vision.following.looks import UnderArm
from vision.following.pile import Pile
from vision.following.sets import NewCard
from vision.table.layout import PLAY, Zone
from vision.table.observations import Observation

HIDDEN = frozenset({PLAY})
FIRST, SECOND = card("7H", PLAY_AT), card("7H", (-40.0, 2.0))


def pile_of(*cards: Observation, packs: int = 2) -> Pile:
    pile = Pile(packs=packs)
    pile.put([NewCard(str(seen.best[0]), 1.0, seen) for seen in cards])
    return pile


def new_on(
    pile: Pile, *cards: Observation, lay_there: bool = False, stays: Observation | None = None
) -> list[str]:
    """The names of what is new on a pile whose cards' places are known well."""
    was = told_pair(lambda _: lay_there, lambda _: not lay_there, lambda place, _: stays == place)
    view = pile.view([list(cards)] * 2, set(), was=was)
    return [name for name, _, _ in view.new]


def test_two_alike_played_together_are_two_cards() -> None:
    script = Script(packs=2)
    script.play("Bob", FIRST, SECOND)
    assert script.told()[1:] == [("play", "Bob", ("7H", "7H"))]


def test_a_covered_card_that_later_looks_read_elsewhere_is_no_second_one() -> None:
    script = Script(packs=2)
    script.drawn = {}
    script.reach("Bob", (PLAY_AT, 0.4))
    for x, y in [
        (-4, 4),
        (2, 12),
        (-1, 10),
        (-4, 16),
        (-8, -2),
        (-8, -2),
        (-3, 18),
        (-1, 13),
        (-4, 18),
        (1, 11),
    ]:
        queens = ("QS", -60.0, -14.0), ("QH", -60.0, 11.0), ("QD", -56.0 + x, 19.0 + y)
        script.table = [card(name, (across, along), 1.0) for name, across, along in queens]
        script.rest(0.2)
    script.rest(2.0)
    assert script.told()[1:] == [("play", "Bob", ("QS", "QH", "QD"))]


def test_with_one_pack_they_are_one_card_seen_twice() -> None:
    script = Script()
    script.play("Bob", FIRST, SECOND)
    assert script.told()[1:] == [("play", "Bob", ("7H",))]


def test_of_a_fanned_set_the_second_of_two_alike_may_be_seen_late_and_not_all_but_certainly() -> None:
    queens = [card("QH", (-78.0, 0.0), 0.99), card("QD", (-42.0, 0.0), 0.96)]
    between = card("QD", (-60.0, 0.0), 0.96)
    view = pile_of(*queens).view([[*queens, between]] * 2, set(), ALL_NEW)
    assert [name for name, _, _ in view.new] == ["QD"]


def test_no_card_is_there_more_often_than_there_are_packs() -> None:
    script = Script(packs=2)
    script.play("Bob", FIRST, SECOND, card("7H", (-80.0, 0.0)))
    assert script.told()[1:] == [("play", "Bob", ("7H", "7H"))]


def test_a_card_laid_beside_one_like_it_is_a_play() -> None:
    script = Script(packs=2)
    script.play("Bob", FIRST)
    script.play("Cat", SECOND)
    assert script.told()[1:] == [("play", "Bob", ("7H",)), ("play", "Cat", ("7H",))]


def test_a_card_laid_on_a_pile_in_which_one_like_it_is_buried_is_a_play() -> None:
    script = Script(packs=2)
    script.play("Bob", FIRST)
    script.play("Cat", card("QS", (-58.0, 2.0)))
    script.table.remove(FIRST)
    script.play("Dan", SECOND)
    assert script.told()[-1] == ("play", "Dan", ("7H",))
    assert script.maker.pile == ["7H", "QS", "7H"]


def test_both_are_picked_up() -> None:
    script = Script(packs=2)
    script.play("Bob", FIRST, SECOND)
    script.reach("Cat", (PLAY_AT, 0.5), ((0.0, -200.0), 0.1))
    script.table.clear()
    script.rest()
    assert script.told()[-1] == ("pick_up", "Cat", ("7H", "7H"))


def test_both_are_burnt_and_neither_can_be_played_again() -> None:
    script = Script(packs=2)
    script.play("Bob", FIRST, SECOND)
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT), down((-190.0, 85.0), 60)]
    script.rest()
    assert script.told()[-1] == ("burn", "Bob", ("7H", "7H"))
    script.play("Cat", Observation(*PLAY_AT, 90.0, "up", {"7H": 0.55, "7D": 0.4}))
    assert script.told()[-1] == ("play", "Cat", ("7D",))


def test_a_second_card_that_is_read_only_under_the_hand_that_sweeps_the_pile_away_is_burnt_with_it() -> None:
    script = Script(packs=2)
    first, second = card("QC", (-35.0, 5.0)), card("QC", (-85.0, 10.0))
    script.play("Dan", first)
    reach = script.leave("Bob", card("QH", PLAY_AT))
    for _ in range(2):
        script.t += 0.2
        script.look([UnderArm(reach.seat, seen, 0.6, moving=False) for seen in (first, second)], HIDDEN)
    script.table.clear()
    script.go_on(reach, [BURN_AT] * 8)
    script.end()
    script.table.append(down(BURN_AT))
    script.rest()
    assert script.told()[-2:] == [("play", "Bob", ("QH", "QC")), ("burn", "Bob", ("QC", "QH", "QC"))]


def test_a_card_that_moved_with_the_others_is_no_other_one() -> None:
    pile = pile_of(card("7H", PLAY_AT), card("QS", (-58.0, 2.0)))
    moved = [card("7H", (-35.0, 20.0)), card("QS", (-33.0, 22.0))]
    assert new_on(pile, *moved) == []


def test_the_uppermost_card_alone_may_have_been_moved() -> None:
    pile = pile_of(card("QS", PLAY_AT), card("7H", (-58.0, 2.0)))
    assert new_on(pile, card("QS", PLAY_AT), SECOND) == []


def test_of_two_alike_that_come_to_light_where_one_was_suspected_the_other_is_new() -> None:
    script = Script(packs=2)
    under = card("4C", (-62.0, 4.0), 0.6)
    script.reach("Bob", (PLAY_AT, 0.4), ((-250.0, 0.0), 0.1), held=under)
    script.table.append(card("4D", PLAY_AT))
    script.rest()
    assert script.told()[-1] == ("play", "Bob", ("4D",)), "the 4C may lie below it"
    script.play("Bob", card("4C", (-66.0, 6.0)), card("4C", (-44.0, 8.0)))
    assert script.told()[-1] == ("play", "Bob", ("4C", "4D", "4C"))


def test_a_card_across_one_of_a_set_that_others_of_it_hide_is_another_one() -> None:
    upper = card("7S", (-58.0, 2.0))
    pile = pile_of(card("7H", PLAY_AT), upper)
    assert new_on(pile, upper, card("7H", (-15.0, 0.0), angle=0.0)) == ["7H"]


def test_a_card_that_lies_upon_one_put_down_later_is_no_buried_one_come_to_light() -> None:
    queen = card("QS", (-58.0, 2.0), 0.93, angle=75.0)
    pile = pile_of(card("7H", PLAY_AT), queen)
    again = card("7H", (-55.0, -3.0), 0.99)  # squarely above the other one
    assert new_on(pile, again) == [], "the queen may be gone"
    assert new_on(pile, again, queen) == ["7H"], "it still shows"
    assert new_on(pile, again, replace(queen, probabilities={"QS": 0.995})) == [], "and is the upper one"


def test_a_buried_card_that_was_to_be_seen_there_before_is_no_other_one() -> None:
    pile = pile_of(card("7H", PLAY_AT), card("QS", (-58.0, 2.0)))
    assert new_on(pile, SECOND, card("QS", (-58.0, 2.0))) == ["7H"]
    assert new_on(pile, SECOND, card("QS", (-58.0, 2.0)), lay_there=True) == []


def test_a_second_one_that_is_read_less_surely_is_the_first_read_once_more() -> None:
    doubtful = card("7H", (-40.0, 2.0), 0.7)
    assert new_on(pile_of(FIRST), FIRST, doubtful) == []


def test_one_that_is_half_covered_in_a_fan_need_not_be_read_all_but_surely_beside_the_first() -> None:
    half_covered = Observation(-40.0, 2.0, 90.0, "up", {"7H": 0.85, "7D": 0.1})
    assert new_on(pile_of(FIRST), FIRST, half_covered) == ["7H"]
    assert new_on(pile_of(FIRST), half_covered) == [], "it may be that one, moved"
    just_there = replace(half_covered, x=-56.0)
    assert new_on(pile_of(FIRST), FIRST, just_there) == [], "that one is outlined twice"


def test_a_card_exactly_where_one_like_it_lay_is_laid_bare_where_the_uppermost_is_gone() -> None:
    below, upper = card("3S", PLAY_AT), card("5C", (-62.0, -14.0), angle=0.0)
    top = card("KH", (-70.0, 8.0), angle=93.0)
    pile = pile_of(below, upper, top)
    was = told_pair(lambda seen: seen == upper, lambda _: True)
    again = card("3S", (PLAY_AT[0] - 1, 0.0), 0.96)
    assert [name for name, _, _ in pile.view([[again, upper]] * 2, set(), was=was).new] == []
    put = card("3S", (PLAY_AT[0] + 9, 4.0), 0.96)
    assert [name for name, _, _ in pile.view([[put, upper]] * 2, set(), was=was).new] == ["3S"]


def test_a_card_like_one_before_another_player_was_played_from_the_hand() -> None:
    script = Script(packs=2)
    script.play("Ann", card("KH", PLAY_AT))  # one lies before Dan
    play = script.events[-1]
    assert (play.player, play.cards, play.source) == ("Ann", ("KH",), "hand")
    assert script.maker.rows.spots[Zone("row", 3, 0)].up == "KH"


def test_an_up_card_is_played_from_the_row_though_one_like_it_lies_on_the_pile() -> None:
    script = Script(packs=2)
    script.play("Ann", card("KH", PLAY_AT))
    there = script.maker.layout.seats[3].row[0]
    script.reach("Dan", (there, 0.3), (PLAY_AT, 0.4))
    script.rows[Zone("row", 3, 0)] = down(there)
    script.table.append(card("KH", (-40.0, 2.0)))
    script.rest(2.5)
    play = next(e for e in script.events if e.player == "Dan")
    assert (play.event, play.cards, play.source) == ("play", ("KH",), "up")
    assert not any(e.event == "take_up" for e in script.events)


def test_an_up_card_that_shows_under_the_arm_was_not_played_though_one_like_it_was() -> None:
    script = Script(packs=2)
    script.play("Ann", card("9S", PLAY_AT))
    spot = Zone("row", 3, 0)
    kept, played = script.rows[spot], card("KH", (-40.0, 2.0))
    assert kept is not None
    script.reach("Dan", ((kept.x, kept.y), 0.3), (PLAY_AT, 0.4))
    under = [UnderArm(3, seen, 0.3, False) for seen in (kept, played)]
    for _ in range(2):
        script.look(under, frozenset({PLAY, spot}))
    play = script.events[-1]
    assert (play.player, play.cards, play.source) == ("Dan", ("KH",), "hand")


def test_an_up_card_exchanged_for_one_like_another_counts() -> None:
    script = Script(packs=2)
    seat = script.maker.layout.seats[0]
    script.reach("Ann", (seat.row[0], 0.4))
    script.rows[Zone("row", 0, 0)] = card("6C", seat.row[0])  # beside another 6C
    script.rest(2.0)
    exchange = script.events[-1]
    assert (exchange.event, exchange.count) == ("exchange", 1)
    assert exchange.up == {"Ann": ("6C", "5C", "6C")}


def test_a_card_across_one_like_it_of_which_the_rest_looks_as_before_is_another() -> None:
    lower, upper = card("3H", PLAY_AT, angle=9.0), card("3S", (-58.0, -17.0), angle=10.0)
    new = card("3H", (-50.0, -5.0), 0.99, angle=77.0)
    assert new_on(pile_of(lower, upper), new, upper) == [], "it may be that one, moved"
    assert new_on(pile_of(lower, upper), new, upper, stays=lower) == ["3H"]


def test_of_a_set_any_card_may_lie_upon_the_others_and_hide_one_like_the_new_one() -> None:
    """The 4D was told as the lower card, and hides an index of the 4C; the new card hides the other one."""
    diamonds, clubs = card("4D", (53.0, -12.0), angle=82.0), card("4C", (75.0, -16.0), angle=79.0)
    new = card("4C", (60.0, 3.0), 0.99, angle=8.0)
    assert new_on(pile_of(diamonds, clubs), new, diamonds) == ["4C"]
    assert new_on(pile_of(diamonds, clubs), new) == [], "nothing hides the other index"


def test_a_card_just_where_one_like_it_was_to_be_seen_is_that_one() -> None:
    """Outlined a little aside, it would hide an index of the card that lies upon it."""
    five, nine = card("5H", PLAY_AT), card("9S", (-40.0, 10.0), angle=0.0)
    aside = card("5H", (-55.0, -2.0), 0.98, angle=85.0)
    pile = pile_of(five, nine)
    was = told_pair(lambda seen: seen in (five, nine), lambda _: True)
    assert [name for name, _, _ in pile.view([[aside, nine]] * 2, set(), was=was).new] == []


def test_under_a_hand_a_card_a_little_aside_of_one_like_it_is_that_one_moved() -> None:
    king, aside = card("KC", PLAY_AT, angle=1.0), card("KC", (-61.0, 15.0), 0.98, angle=8.0)
    for free, new in ((True, ["KC"]), (False, [])):
        was = told_pair(lambda seen: seen == king, lambda _: False, free=free)
        view = pile_of(king).view([[aside]] * 2, set(), was=was)
        assert [name for name, _, _ in view.new] == new


def test_a_card_just_where_one_of_the_last_set_lies_is_that_one_whichever_lies_on_top() -> None:
    hearts, diamonds = card("AH", PLAY_AT, angle=1.0), card("AD", (-28.0, 0.0), angle=4.0)
    hidden = told_pair(lambda seen: seen == diamonds, lambda _: True)
    view = pile_of(hearts, diamonds).view([[hearts, diamonds]] * 2, set(), was=hidden)
    assert not view.new
    across = card("AH", (-40.0, 2.0), 0.99, angle=80.0)
    view = pile_of(hearts, diamonds).view([[across, diamonds]] * 2, set(), was=hidden)
    assert [name for name, _, _ in view.new] == ["AH"], "it hides an index of the ace of diamonds"


def test_what_lies_beneath_a_card_that_was_there_is_no_other_one_however_a_hand_turned_it() -> None:
    five, nine = card("5H", (76.0, -38.0), angle=91.0), card("9S", (72.0, -37.0), angle=17.0)
    turned = card("5H", (75.0, -39.0), 0.98, angle=153.0)
    was = told_pair(lambda seen: seen in (five, nine), lambda _: True)
    beneath = told_pair(
        lambda seen: seen in (five, nine),
        lambda _: True,
        index_shows_beside=lambda upper, seen: (upper, seen) == (nine, turned),
    )
    for pictured, new in ((was, ["5H"]), (beneath, [])):
        view = pile_of(five, nine).view([[turned, nine]] * 2, set(), was=pictured)
        assert [name for name, _, _ in view.new] == new
    spades, diamonds = card("3S", (-23.0, 17.0), angle=107.0), card("3D", (-40.0, 14.0), angle=103.0)
    again = card("3S", (-28.0, 18.0), 0.99, angle=95.0)
    was = told_pair(lambda seen: seen == diamonds, lambda _: True, index_shows_beside=lambda *_: True)
    view = pile_of(spades, diamonds).view([[again, diamonds]] * 2, set(), was=was)
    assert [name for name, _, _ in view.new] == ["3S"], "the index of another three looks like the new one's"


def test_a_half_covered_card_whose_suit_is_read_otherwise_has_not_moved() -> None:
    """Below two aces and another the jack of diamonds reads now as the jack of hearts, which lies deeper."""
    hearts, diamonds = card("JH", (-50.0, -25.0), angle=80.0), card("JD", (-63.0, -57.0), angle=83.0)
    clubs, ace = card("AC", (-31.0, -36.0), angle=75.0), card("AD", (-52.0, -31.0), angle=76.0)
    spades = card("AS", (-74.0, -24.0), angle=77.0)
    across = card("AD", (-59.0, -40.0), 0.99, angle=4.0)
    pile = pile_of(hearts, diamonds, clubs, ace, spades)
    misread = card("JH", (-56.0, -55.0), 0.7, angle=80.0)
    assert new_on(pile, clubs, spades, misread, across) == ["AD"]
    moved = card("JH", (-56.0, -85.0), 0.7, angle=80.0)
    assert new_on(pile, clubs, spades, moved, across) == [], "the others may have been moved as well"


def test_two_that_seem_to_have_changed_places_are_two_like_them_upon_those() -> None:
    """They hide a 2D that lay across the others."""
    clubs, hearts, two = (
        card("5C", (81.0, -6.0)),
        card("5H", (103.0, 0.0)),
        card("2D", (87.0, 10.0), angle=0.0),
    )
    again = [card("5H", (74.0, -5.0), 0.99), card("5C", (100.0, -1.0), 0.99)]
    assert sorted(new_on(pile_of(clubs, hearts, two), *again)) == ["5C", "5H"]
    pushed = [card("5C", (100.0, -1.0), 0.99), card("5H", (122.0, 5.0), 0.99)]
    assert new_on(pile_of(clubs, hearts, two), *pushed) == []


def test_a_picture_from_before_a_card_came_does_not_tell_another_one_from_it() -> None:
    jack, aside = card("JS", PLAY_AT), card("JS", (-62.0, 7.0), 0.99)
    was = told_pair(lambda _: False, lambda _: True, edge_as_before=lambda *_: True)
    pile = pile_of(jack)
    assert not pile.view([[aside]] * 2, set(), was=was).new, "the picture shows what lay there before both"
    pile.note_picture()
    assert [name for name, _, _ in pile.view([[aside]] * 2, set(), was=was).new] == ["JS"]


def test_a_card_whose_outline_differs_from_look_to_look_is_told_by_its_name() -> None:
    looks = [[card("7S", (-43.0, -3.0), 0.985, 67.0)], [card("7S", (-61.0, -11.0), 0.985, 87.0)]]
    seen = [[new.name for new in Pile(packs=packs).view(looks, set()).new] for packs in (1, 2)]
    assert seen == [["7S"], []], "with two packs they may be two cards"
