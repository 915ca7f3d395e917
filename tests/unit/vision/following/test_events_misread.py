"""What is read wrongly, late, or under a hand, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from tests.support.event_script import DRAW_AT, PLAY_AT, STEP, Script, card, layout
from vision.following.burn_pile import BurnPile
from vision.following.close_ups import ALIKE, MUCH_ALIKE, PicturePair
from vision.following.duplicates import PileCard
from vision.following.looks import UnderArm
from vision.following.new_cards import NewCardFilter
from vision.following.pick_ups import Taking
from vision.following.pile import Pile
from vision.following.pile_pictures import PilePictures
from vision.following.play_log import PlayLog
from vision.following.scene import Scene
from vision.following.sets import NewCard
from vision.hands.tracks import ArmTrack, HandsFrame
from vision.table.layout import DRAW, PLAY
from vision.table.observations import Observation


def test_one_wrong_name_among_several_looks_is_outvoted() -> None:
    script = Script()
    script.reach("Ann", (PLAY_AT, 0.3))
    right = Observation(*PLAY_AT, 90.0, "up", {"9S": 0.9, "9C": 0.05})
    wrong = Observation(*PLAY_AT, 90.0, "up", {"9C": 0.6, "9S": 0.35})
    for seen in (right, wrong, right):
        script.table = [seen]
        script.t += 0.15
        script.events += script.maker.on_hands(HandsFrame(script.t, (), (), {}))
        script.look()
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


def test_a_half_covered_old_card_misread_is_no_play() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [
        Observation(*PLAY_AT, 90.0, "up", {"6S": 0.55, "9S": 0.3}),
        card("JD", (-40.0, 20.0)),
    ]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("play", "Bob", ("JD",))]


def test_what_is_left_of_a_misread_card_beside_the_last_play_is_no_part_of_it() -> None:
    """A jack of clubs lies before Bob: that the reading may rather be the other black jack is not enough."""
    script = Script()
    top = card("KS", PLAY_AT)
    reach = script.leave("Bob", top)
    script.table = [top]
    for _ in range(3):  # the hand draws meanwhile
        script.go_on(reach, [DRAW_AT] * 3, over=(DRAW,))
        script.look(hidden=frozenset({DRAW}))
    script.go_on(reach, [DRAW_AT] * 3, over=(DRAW, PLAY))
    script.table = [top, Observation(-44.0, 20.0, 85.0, "up", {"JC": 0.9, "JS": 0.08})]
    script.rest()
    assert script.told()[1:] == [("play", "Bob", ("KS",)), ("draw", "Bob", ())]


def test_a_lower_card_misread_once_beside_the_last_play_makes_no_set_of_two_ranks() -> None:
    """A set of two ranks is rarer than a lower card that is misread as its player's hand comes back."""
    script = Script()
    script.by_hands = True
    script.play("Ann", card("6S", PLAY_AT))
    top = card("KS", (-55.0, 10.0))
    reach = script.reach("Bob", (PLAY_AT, 0.5), held=top)
    script.table = [top, Observation(-62.0, -8.0, 90.0, "up", {"6S": 0.75, "AS": 0.15})]
    for over in ((), (PLAY,)):
        script.go_on(reach, [DRAW_AT] * 3, over=(DRAW, *over))
        script.look(hidden=frozenset({DRAW, *over}))
    script.table.append(Observation(-38.0, 22.0, 90.0, "up", {"6D": 0.87, "6S": 0.04}))
    for over in ((), (PLAY,)):
        script.go_on(reach, [DRAW_AT] * 2, over=(DRAW, *over))
        script.look(hidden=frozenset({DRAW, *over}))
    script.table.pop()
    script.rest()
    plays = [told for told in script.told() if told[0] == "play"]
    assert plays == [("play", "Ann", ("6S",)), ("play", "Bob", ("KS",))]


def test_a_card_read_under_the_hand_and_seen_only_later_belongs_to_the_earlier_set() -> None:
    script = Script()
    hidden, top = card("JD", PLAY_AT, p=0.8), card("JS", (-57.0, 3.0))
    script.reach("Ann", (PLAY_AT, 1.2), held=hidden)
    script.table = [top]
    script.rest()
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [card("JD", (-75.0, -6.0)), top, card("JH", (-40.0, 8.0))]
    script.rest()
    told = [(kind, player, set(cards)) for kind, player, cards in script.told()[1:]]
    assert told == [("play", "Ann", {"JS", "JD"}), ("play", "Bob", {"JH"})]


@pytest.mark.parametrize("glimpses", [1, 2])
def test_a_card_seen_under_the_hand_and_free_in_one_look_alone_belongs_to_the_set(glimpses: int) -> None:
    script = Script()
    lower, top = card("JD", (-78.0, 3.0), p=0.97), card("JS", PLAY_AT, p=0.99)
    reach = script.reach("Ann", (PLAY_AT, 1.0))
    for _ in range(glimpses):
        held = [UnderArm(0, seen, 0.95, moving=True) for seen in (lower, top)]
        script.look(held, frozenset({PLAY}))
    script.go_on(reach, [(-60.0, 120.0), (-60.0, 200.0)])
    script.table = [top]
    script.look()
    script.table = [top, lower]
    script.t += 0.2
    script.look()
    script.table = [top]
    script.rest()
    assert [set(cards) for _, _, cards in script.told()[1:]] == [{"JS", "JD"} if glimpses > 1 else {"JS"}]


@pytest.mark.parametrize("name", ["8C", "6D"])
def test_a_card_of_another_rank_under_the_hand_that_plays_must_be_all_but_certain(name: str) -> None:
    """More cards are misread beside a hand than are played with one of another rank."""
    scene, six = (
        Scene(layout(), reaches=[ArmTrack(1, 0, 10.0, 12.0)]),
        NewCard("6S", 0.97, card("6S", PLAY_AT)),
    )
    plays, pile = PlayLog(scene), Pile()
    plays.report("Ann", [six], "hand", 11.0, 11.2)
    pile.put([six])
    new_cards = NewCardFilter(pile, PilePictures(), Taking(scene, BurnPile(scene)), plays)

    def told(player: str, p: float, *, early: bool) -> bool:
        new = [NewCard(name, p, card(name, (-60.0, 30.0), p))]
        return bool(new_cards.put_down(new, lambda _: player, 11.4, 11.4, early=early, unpictured=False))

    assert told("Ann", 0.94, early=True) == (name == "6D")
    assert told("Ann", 0.98, early=True)
    assert told("Ann", 0.94, early=False), "once the hand has gone it is seen well"
    assert told("Bob", 0.94, early=True), "another player's card is another play"


def test_a_card_misread_beside_the_hand_and_read_rightly_after_it_was_one_card() -> None:
    script = Script()
    reach = script.reach("Ann", (PLAY_AT, 0.5))
    misread = card("3D", PLAY_AT)
    for _ in range(2):
        script.look([UnderArm(0, misread, 0.2, False)], frozenset({PLAY}))
    assert script.told()[1:] == [("play", "Ann", ("3D",))]
    script.events += script.maker.on_hands(HandsFrame(script.t, (reach,), (), {PLAY: frozenset({0})}))
    script.table = [card("8D", PLAY_AT)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("8D",))]


@pytest.mark.parametrize(("p", "cards"), [(0.92, ("8D", "QC")), (0.79, ("QC",))])
def test_a_card_of_another_rank_counts_only_if_it_is_well_read(
    monkeypatch: pytest.MonkeyPatch, p: float, cards: tuple[str, ...]
) -> None:
    """The ornament of a queen was read as a king, with 0.79: an honest player was accused."""
    monkeypatch.setattr(PilePictures, "changed_with_play", lambda self, card: True)
    script = Script()
    script.play("Ann", card("JD", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [card("QC", (-40.0, 20.0)), card("8D", (-85.0, 20.0), p=p)]
    script.rest()
    script.look()
    assert script.told()[2] == ("play", "Bob", cards)


@pytest.mark.parametrize(("king", "cards"), [((-52.0, -8.0), ("KS",)), ((-40.0, 20.0), ("JD", "KS"))])
def test_another_rank_beside_the_pip_of_a_card_that_lies_just_there_is_another_card_only_if_its_index_is_free(
    monkeypatch: pytest.MonkeyPatch, king: tuple[float, float], cards: tuple[str, ...]
) -> None:
    monkeypatch.setattr(PilePictures, "changed_with_play", lambda self, card: True)
    script = Script()
    script.play("Ann", card("2D", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [card("KS", king)]
    script.rest()
    script.table.append(card("JD", PLAY_AT, p=0.98))
    for _ in range(6):
        script.look()
    assert script.told()[2] == ("play", "Bob", cards)


@pytest.mark.parametrize(("p", "counts"), [(0.95, False), (0.98, True)])
def test_beside_cards_told_under_the_hand_another_rank_must_be_read_all_but_certainly(
    p: float, counts: bool
) -> None:
    script = Script()
    top = card("JS", PLAY_AT)
    reach = script.leave("Bob", top)
    script.go_on(reach, [PLAY_AT] * 3, over=(PLAY,))
    script.table = [top, card("KH", (-44.0, 20.0), p, 170.0), card("JD", (-80.0, 10.0), 0.9)]
    script.rest()
    assert ("KH" in script.told()[1][2]) == counts
    assert {"JS", "JD"} <= set(script.told()[1][2])


@pytest.mark.parametrize(
    ("read_as", "away", "cards"),
    [("JS", 18.0, ("JC",)), ("JH", 18.0, ("JH", "JC")), ("JS", 40.0, ("JS", "JC"))],
)
def test_a_suit_misread_under_the_hand_in_a_place_that_is_off_is_no_second_card(
    read_as: str, away: float, cards: tuple[str, ...]
) -> None:
    script = Script()
    script.leave("Bob", card(read_as, PLAY_AT, 0.92))
    script.table = [card("JC", (PLAY_AT[0] + away, PLAY_AT[1]), 0.999)]
    script.rest()
    assert script.told()[1:] == [("play", "Bob", cards)]


@pytest.mark.parametrize(("p", "cards"), [(0.999, ("KH", "JS")), (0.975, ("JS", "KH"))])
def test_of_two_ranks_what_is_read_better_lies_on_top(p: float, cards: tuple[str, ...]) -> None:
    script = Script()
    top = card("JS", PLAY_AT, p)
    reach = script.leave("Bob", top)
    script.go_on(reach, [PLAY_AT] * 3, over=(PLAY,))
    script.table = [top, card("KH", (-44.0, 20.0), 0.985, 170.0)]
    script.rest()
    assert script.told()[1:] == [("play", "Bob", cards)]


def test_an_unreadable_card_is_told_and_asked_about() -> None:
    script = Script()
    script.play("Ann", Observation(*PLAY_AT, 90.0, "up", {"9S": 0.2, "6S": 0.25}))
    assert script.told()[1][:2] == ("play", "Ann")
    assert script.told()[1][2] == ("??",)
    assert script.told()[2][0] == "unclear"
    play, question = script.events[-2:]
    assert (question.concerns, question.cards) == (play.id, ("6S", "9S"))


def test_straightening_hides_cards_of_a_set_and_takes_none() -> None:
    script = Script()
    low, high = card("7S", PLAY_AT), card("7C", (PLAY_AT[0] - 20, PLAY_AT[1]))
    script.play("Ann", low, high)
    script.table.remove(high)
    script.reach("Bob", (PLAY_AT, 0.5))
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("7S", "7C"))]


def test_a_card_that_rests_under_a_resting_hand_is_told_before_the_hand_goes() -> None:
    script = Script()
    put = card("9S", PLAY_AT, p=0.99)
    script.reach("Ann", (PLAY_AT, 1.0))
    for _ in range(2):
        script.look([UnderArm(0, put, 0.8, False)], frozenset({PLAY}))
    assert script.told()[1:] == [("play", "Ann", ("9S",))]
    assert script.maker.layout.play is not None
    script.table = [put]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


@pytest.mark.parametrize("doubt", [{"p": 0.6}, {"moving": True}])
def test_a_doubtful_or_moving_card_under_a_hand_is_not_told_yet(doubt: dict[str, float]) -> None:
    script = Script()
    put = card("9S", PLAY_AT, p=doubt.get("p", 0.99))
    script.reach("Ann", (PLAY_AT, 1.0))
    for _ in range(3):
        script.look([UnderArm(0, put, 0.8, bool(doubt.get("moving")))], frozenset({PLAY}))
    assert script.told()[1:] == []


def test_an_old_card_misread_when_the_hand_goes_is_not_added_to_what_was_told_under_it() -> None:
    script = Script()
    script.play("Bob", card("JS", (-68.0, 8.0), angle=175))
    put = card("4C", PLAY_AT, p=0.99)
    script.reach("Ann", (PLAY_AT, 1.0))
    for _ in range(2):
        script.look([UnderArm(0, put, 0.8, False)], frozenset({PLAY}))
    script.table = [put, card("QC", (-60.0, 12.0), p=0.85, angle=175)]
    script.rest(2.5)
    assert script.told()[1:] == [("play", "Bob", ("JS",)), ("play", "Ann", ("4C",))]


def test_a_card_put_exactly_on_one_that_was_surely_read_is_not_that_one_misread() -> None:
    script = Script()
    first, second = card("3H", PLAY_AT, p=0.99), card("3S", PLAY_AT, p=0.99)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [first]
    script.rest(0.5)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table = [second]
    script.rest()
    assert [(kind, set(cards)) for kind, _, cards in script.told()[1:]] == [("play", {"3H", "3S"})]


def test_a_name_that_only_flickers_is_no_play() -> None:
    script = Script()
    for name, place in (("4D", PLAY_AT), ("KC", (-60.0, 30.0))):
        script.play("Ann", card(name, place))
    script.reach("Bob", (PLAY_AT, 0.3))
    phantom = card("4S", (-66.0, -20.0), p=0.7, angle=40)
    for number in range(6):
        script.table = [card("4D", PLAY_AT), *([phantom] if number in (0, 2) else [])]
        script.t += 0.2
        script.events += script.maker.on_hands(HandsFrame(script.t, (), (), {}))
        script.look()
    assert ("play", "Bob", ("4S",)) not in script.told()


def _buried(below: Observation, *above: Observation) -> Script:
    """Return a script in which Bob has put cards on what Ann played."""
    script = Script()
    script.play("Ann", below)
    script.play("Bob", *above)
    assert script.told()[1:] == [("play", "Ann", (str(below.best[0]),)), ("play", "Bob", ("JS",))]
    return script


def test_a_buried_card_that_comes_to_light_with_another_suit_was_misread_and_not_just_played() -> None:
    script = _buried(card("7S", PLAY_AT, p=0.9), card("JS", (-46.0, 24.0)))
    script.reach("Cat", (PLAY_AT, 0.4))
    script.table = [card("7C", (-58.0, 2.0), p=1.0)]
    script.rest(0.9)
    script.reach("Cat", (PLAY_AT, 0.4), ((0.0, -220.0), 0.1))
    script.table = []
    script.rest(2.0)
    assert script.told()[1:] == [
        ("play", "Ann", ("7C",)),
        ("play", "Bob", ("JS",)),
        ("pick_up", "Cat", ("7C", "JS")),
    ]


def test_a_card_that_may_hide_the_top_one_was_played_though_its_like_lies_buried_there() -> None:
    script = _buried(card("7S", PLAY_AT, p=0.9), card("JS", (-58.0, 3.0)))
    script.play("Cat", card("7C", (-59.0, 1.0), p=1.0))
    assert script.told()[1:] == [
        ("play", "Ann", ("7S",)),
        ("play", "Bob", ("JS",)),
        ("play", "Cat", ("7C",)),
    ]


def test_another_card_of_the_rank_put_where_the_top_one_lies_is_a_play() -> None:
    script = Script()
    script.play("Ann", card("7S", PLAY_AT, p=0.9))
    script.play("Bob", card("7C", (-58.0, 2.0), p=1.0))
    assert script.told()[1:] == [("play", "Ann", ("7S",)), ("play", "Bob", ("7C",))]


def test_what_is_doubtful_where_upper_cards_were_taken_off_was_not_just_played() -> None:
    script = Script()
    script.play("Ann", card("5D", PLAY_AT))
    script.play("Bob", card("9D", (-48.0, 3.0)))
    script.table = [script.table[-1]]  # it hides the other
    script.reach("Cat", (PLAY_AT, 0.1))
    script.rest(0.9)
    script.reach("Cat", (PLAY_AT, 0.4))
    script.table = [card("5D", PLAY_AT, p=1.0), card("4C", (-85.0, 25.0), p=0.86)]
    script.rest(0.9)
    assert [kind for kind, _, _ in script.told()].count("play") == 2


def test_both_ends_of_a_card_across_others_outlined_as_two_are_one_card() -> None:
    left = Observation(-46.0, 3.0, 6.0, "up", {"2S": 0.59, "2C": 0.4})
    right = Observation(-28.0, 1.0, 10.0, "up", {"2C": 0.79, "2S": 0.21})
    pile = Pile([PileCard("9S", card("9S", (-55.0, 4.0)))])
    view = pile.view([[left, right]] * 3, set())
    assert [name for name, _, _ in view.new] == ["2C"]
    assert view.new[0][2].probabilities["2C"] == pytest.approx(0.6, abs=0.01), "both may be misread alike"
    upper = replace(right, probabilities={"2C": 0.98})
    assert {name for name, _, _ in pile.view([[left, upper]] * 3, set()).new} == {"2C", "2S"}, "two cards"


@pytest.mark.parametrize(
    ("came", "changed", "p", "another"),
    [
        (True, True, 0.97, True),
        (False, True, 0.97, False),
        (True, False, 0.97, False),
        (True, True, 0.95, False),
    ],
)
def test_what_shows_where_a_card_of_its_rank_and_colour_lies_is_that_one_unless_it_surely_came_with_the_play(
    monkeypatch: pytest.MonkeyPatch, came: bool, changed: bool, p: float, another: bool
) -> None:
    monkeypatch.setattr(PilePictures, "changed_with_play", lambda self, card: changed)
    monkeypatch.setattr(PicturePair, "shows_new", lambda self, card: came)
    pile = Pile()
    lower = card("8S", (-77.0, 8.0), angle=11.0)
    pile.put([NewCard("8S", 1.0, lower), NewCard("QC", 1.0, card("QC", (-78.0, 9.0), angle=86.0))])
    new_cards = NewCardFilter(pile, PilePictures(), cast(Taking, None), cast(PlayLog, None))
    assert new_cards.is_another(NewCard("8C", 0.85, replace(lower, probabilities={"8C": p}))) is another


@pytest.mark.parametrize(("p", "likeness"), [(0.95, ALIKE), (0.8, MUCH_ALIKE)])
def test_what_is_read_well_where_a_card_of_its_suit_lies_must_look_more_like_before_to_have_lain_there(
    p: float, likeness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def lay_there(self: PicturePair, card: Observation, alike: float = ALIKE) -> bool:
        asked.append(alike)
        return False

    monkeypatch.setattr(PicturePair, "lay_there", lay_there)

    pile = Pile()
    pile.put([NewCard("6D", 1.0, card("6D", PLAY_AT))])
    new_cards = NewCardFilter(pile, PilePictures(), cast(Taking, None), cast(PlayLog, None))
    assert not new_cards.lay_there(NewCard("5D", p, card("5D", PLAY_AT, p)))
    assert asked == [likeness]


@pytest.mark.parametrize(("p", "played"), [(0.48, ("5H",)), (0.98, ("5C", "5H"))])
def test_a_card_of_the_last_rank_beneath_the_next_players_card_is_no_part_of_that_play(
    p: float, played: tuple[str, ...]
) -> None:
    script = Script()
    five = card("5H", PLAY_AT)
    script.end(script.leave("Ann", five))
    script.t += STEP
    reach = script.reach("Dan", (PLAY_AT, 0.5))
    x, y = PLAY_AT
    upon = card("6D", (x + 2.0, y - 9.0), angle=165.0)
    script.table += [five, card("5C", (x - 3.0, y - 15.0), p), upon]
    script.end(reach)
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", played), ("play", "Dan", ("6D",))]
