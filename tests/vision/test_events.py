"""Event logic on hand-made sequences of arms and looks: no pixels, no networks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from engine.events import Event
from vision.arms import Hands, Reach
from vision.events import EventMaker
from vision.events_record import Look, UnderArm
from vision.layout import DRAW, PLAY, Layout, Place, Seat, Zone
from vision.plane import TablePlane
from vision.slots import Seen

PLAYERS = ("Ann", "Bob", "Cat", "Dan")
UP = [["4S", "5C", "6C"], ["9D", "JC", "AD"], ["10H", "8C", "QD"], ["KH", "10S", "8H"]]
DRAW_AT, PLAY_AT, BURN_AT = (70.0, 0.0), (-60.0, 0.0), (-200.0, 90.0)
STEP = 1 / 15


def layout(play: Place | None = PLAY_AT) -> Layout:
    """Four seats around a table, 1 pixel = 1 mm."""
    seats = []
    for player, (fx, fy) in zip(PLAYERS, ((0, 1), (-1, 0), (0, -1), (1, 0)), strict=True):
        centre = (350.0 * fx, 220.0 * fy)
        right = (fy, -fx)
        row = tuple((centre[0] + k * 75 * right[0], centre[1] + k * 75 * right[1]) for k in (-1, 0, 1))
        seats.append(Seat(player, row, (float(fx), float(fy))))
    return Layout(TablePlane(np.eye(3)), 1000, 600, tuple(seats), DRAW_AT, play)


def card(name: str, place: Place, p: float = 0.97, angle: float = 90.0) -> Seen:
    return Seen(place[0], place[1], angle, "up", {name: p})


def down(place: Place, angle: float = 90.0) -> Seen:
    return Seen(place[0], place[1], angle, "down")


class Script:
    """Plays arms and cards to an EventMaker and collects what it says."""

    def __init__(self, play: Place | None = PLAY_AT, packs: int = 1) -> None:
        self.maker = EventMaker(layout(play), UP, 0.0, 1.0, packs=packs)
        self.events: list[Event] = self.maker.log.take()
        self.t = 1.0
        self.reaches = 0
        self._open: list[Reach] = []
        self.rows: dict[Zone, Seen | None] = {
            Zone("row", s, k): card(name, self.maker.layout.seats[s].row[k])
            for s, row in enumerate(UP)
            for k, name in enumerate(row)
        }
        self.table: list[Seen] = []
        self.draw_pile = True

    def cards(self) -> list[Seen]:
        pile = [down(DRAW_AT)] if self.draw_pile else []
        return [*(c for c in self.rows.values() if c), *pile, *self.table]

    def rest(self, seconds: float = 1.6) -> None:
        """Nobody reaches in; the table is looked at when the logic wants to."""
        end, last = self.t + seconds, -1.0
        while self.t < end:
            self.t += STEP
            gone = self._gone()
            hands = Hands(self.t, tuple(self._open), gone, {})
            self.events += self.maker.on_hands(hands)
            if self.t - last >= self.maker.look_interval(hands):
                last = self.t
                self.look()

    def look(self, under: Sequence[UnderArm] = (), hidden: frozenset[Zone] = frozenset()) -> None:
        shown = [c for c in self.cards() if not any(u.seen is c for u in under)]
        shown = [c for c in shown if self.maker.layout.zone_at(c.x, c.y) not in hidden]
        self.events += self.maker.on_look(Look(self.t, tuple(shown), tuple(under), hidden))

    def reach(self, player: str, *stops: tuple[Place, float], held: Seen | None = None) -> Reach:
        """A player's arm goes to each place and stays there so long; covers the zones it is over."""
        self.reaches += 1
        seat = PLAYERS.index(player)
        reach = Reach(self.reaches, seat, self.t, self.t, _since=self.t)
        for place, seconds in stops:
            end = self.t + max(seconds, STEP)
            while self.t < end:
                self.t += STEP
                reach.follow(place, self.t)
                zone = self.maker.layout.zone_at(*place)
                covered = {zone: frozenset({seat})} if zone else {}
                hands = Hands(self.t, (reach,), (), covered)
                self.events += self.maker.on_hands(hands)
                if held is not None and self.maker.look_interval(hands) < 1:
                    self.look([UnderArm(seat, held, 0.6, False)], frozenset(covered))
        self._open = [reach]
        return reach

    def _gone(self) -> tuple[Reach, ...]:
        gone = tuple(r for r in self._open if self.t - r.last > 0.25)
        self._open = [r for r in self._open if r not in gone]
        return gone

    def play(self, player: str, *cards: Seen) -> None:
        self.reach(player, (PLAY_AT, 0.4))
        self.table += cards
        self.rest()

    def told(self) -> list[tuple[str, str | None, tuple[str, ...]]]:
        """What is said in the end, revisions in their places."""
        standing: dict[int, Event] = {}
        for event in self.events:
            if event.withdrawn:
                standing.pop(event.revise or 0)
            else:
                standing[event.revise or event.id] = event
        return [(e.event, e.player, e.cards) for e in standing.values()]


def test_the_deal_is_told_first() -> None:
    script = Script()
    assert [e.event for e in script.events] == ["deal"]
    assert script.events[0].up["Dan"] == ("KH", "10S", "8H")


def test_a_play_is_told_with_who_did_it_whoever_s_turn_it_is() -> None:
    script = Script()
    script.play("Cat", card("9S", PLAY_AT))
    script.play("Ann", card("JD", (-58.0, 3.0), angle=20))
    assert script.told()[1:] == [("play", "Cat", ("9S",)), ("play", "Ann", ("JD",))]
    assert all(e.source == "hand" for e in script.events[1:])


def test_a_fanned_set_is_one_play() -> None:
    script = Script()
    script.play("Bob", card("7S", (-75.0, 0.0)), card("7D", (-55.0, 2.0)), card("7H", (-35.0, 3.0)))
    (told,) = script.told()[1:]
    assert (told[0], told[1], set(told[2])) == ("play", "Bob", {"7S", "7D", "7H"})


def test_a_set_put_down_singly_becomes_one_play() -> None:
    script = Script()
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.append(card("7S", PLAY_AT))
    script.rest(0.8)
    script.reach("Bob", (PLAY_AT, 0.3))
    script.table.append(card("7D", (-52.0, 4.0)))
    script.rest()
    assert script.told()[1:] == [("play", "Bob", ("7S", "7D"))]


def test_what_one_reach_puts_down_is_one_play_though_a_part_is_seen_late() -> None:
    script = Script()
    reach = script.reach("Bob", (PLAY_AT, 0.5))
    top = card("7C", PLAY_AT)
    script.table = [top]
    script.look([UnderArm(1, top, 0.2, False)], frozenset({PLAY}))
    script.look([UnderArm(1, top, 0.2, False)], frozenset({PLAY}))
    while script.t < reach.start + 3.0:  # the hand stays
        script.t += STEP
        reach.follow(PLAY_AT, script.t)
        script.events += script.maker.on_hands(Hands(script.t, (reach,), (), {PLAY: frozenset({1})}))
    script.table = [card("KC", (-44.0, 8.0)), top]
    script.rest()
    assert [(kind, player, set(cards)) for kind, player, cards in script.told()[1:]] == [
        ("play", "Bob", {"7C", "KC"})
    ]


def test_the_same_rank_by_another_player_is_another_play() -> None:
    script = Script()
    script.play("Bob", card("7S", PLAY_AT))
    script.play("Cat", card("7D", (-52.0, 4.0)))
    assert script.told()[1:] == [("play", "Bob", ("7S",)), ("play", "Cat", ("7D",))]


def test_an_up_card_on_the_pile_came_from_the_table() -> None:
    script = Script()
    spot = Zone("row", 3, 0)
    script.reach("Dan", (script.maker.layout.seats[3].row[0], 0.3), (PLAY_AT, 0.4))
    script.rows[spot] = down(script.maker.layout.seats[3].row[0])
    script.table.append(card("KH", PLAY_AT))
    script.rest(2.5)
    play = next(e for e in script.events if e.event == "play")
    assert (play.player, play.cards, play.source) == ("Dan", ("KH",), "up")
    assert not any(e.event == "take_up" for e in script.events)


def test_a_pile_that_goes_with_the_hand_is_picked_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("JD", (-57.0, 2.0)))
    script.reach("Cat", (PLAY_AT, 0.5), ((0.0, -200.0), 0.1))
    script.table.clear()
    script.rest()
    assert script.told()[-1] == ("pick_up", "Cat", ("9S", "JD"))


def test_a_pile_that_the_hand_takes_to_one_side_is_burnt_and_stays_burnt() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.play("Bob", card("10D", (-57.0, 2.0)))
    script.reach("Bob", (PLAY_AT, 0.4), (BURN_AT, 0.3))
    script.table = [down(BURN_AT), down((-190.0, 85.0), 60)]
    script.rest()
    assert script.told()[-1] == ("burn", "Bob", ("9S", "10D"))
    assert script.maker.layout.burn is not None
    script.play("Bob", Seen(*PLAY_AT, 90.0, "up", {"10D": 0.55, "10H": 0.3, "QH": 0.1}))
    assert script.told()[-1] == ("play", "Bob", ("QH",)), "10D is burnt and 10H lies before Cat"


def test_the_reader_overlooking_the_pile_is_no_pick_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.table.clear()
    script.look()
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("9S",))], "no hand was there"


def test_a_hand_over_the_pile_hides_it() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 3.0))
    script.look([], frozenset({PLAY}))
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


def test_one_wrong_name_among_several_looks_is_outvoted() -> None:
    script = Script()
    script.reach("Ann", (PLAY_AT, 0.3))
    right = Seen(*PLAY_AT, 90.0, "up", {"9S": 0.9, "9C": 0.05})
    wrong = Seen(*PLAY_AT, 90.0, "up", {"9C": 0.6, "9S": 0.35})
    for seen in (right, wrong, right):
        script.table = [seen]
        script.t += 0.15
        script.events += script.maker.on_hands(Hands(script.t, (), (), {}))
        script.look()
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",))]


def test_a_half_covered_old_card_misread_is_no_play() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [
        Seen(*PLAY_AT, 90.0, "up", {"6S": 0.55, "9S": 0.3}),
        card("JD", (-40.0, 20.0)),
    ]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("9S",)), ("play", "Bob", ("JD",))]


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


def test_a_card_misread_beside_the_hand_and_read_rightly_after_it_was_one_card() -> None:
    script = Script()
    script.reach("Ann", (PLAY_AT, 0.5))
    misread = card("3D", PLAY_AT)
    for _ in range(2):
        script.look([UnderArm(0, misread, 0.2, False)], frozenset({PLAY}))
    assert script.told()[1:] == [("play", "Ann", ("3D",))]
    script.events += script.maker.on_hands(Hands(script.t, tuple(script._open), (), {PLAY: frozenset({0})}))
    script.table = [card("8D", PLAY_AT)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("8D",))]


def test_a_player_who_lays_a_second_card_exactly_on_the_first_has_played_twice() -> None:
    script = Script()
    script.play("Ann", card("2S", PLAY_AT))
    script.reach("Ann", (PLAY_AT, 0.4))
    script.table = [card("AC", PLAY_AT)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("2S",)), ("play", "Ann", ("AC",))]


def test_a_card_that_another_player_lays_exactly_on_the_last_one_is_a_play() -> None:
    script = Script()
    script.play("Ann", card("3D", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.4))
    script.table = [card("8D", PLAY_AT)]
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("3D",)), ("play", "Bob", ("8D",))]


def test_an_unreadable_card_is_told_and_asked_about() -> None:
    script = Script()
    script.play("Ann", Seen(*PLAY_AT, 90.0, "up", {"9S": 0.2, "6S": 0.2}))
    assert script.told()[1][:2] == ("play", "Ann")
    assert script.told()[1][2] == ("??",)
    assert script.told()[2][0] == "unclear"


def test_draws_are_counted_by_trips_to_the_draw_pile() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    for _ in range(2):
        script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
        script.rest(0.5)
    script.rest()
    draw = script.events[-1]
    assert (draw.event, draw.player, draw.count) == ("draw", "Ann", 2)


def test_a_draw_is_told_before_the_next_player_s_play() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
    script.rest(0.35)
    script.play("Bob", card("JD", (-57.0, 2.0)))
    assert [e.event for e in script.events] == ["deal", "play", "draw", "play"]


def test_nobody_draws_from_a_pile_that_is_used_up() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.draw_pile = False
    for _ in range(5):
        script.t += 0.2
        script.look()
    script.reach("Ann", (DRAW_AT, 0.3))
    script.rest(2.0)
    assert script.told()[-1][0] == "play"


def test_a_card_held_out_and_put_aside_is_shown() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    three = card("3H", (-190.0, 20.0))
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=three)
    last = script.maker._scene.reaches[-1]
    last.follow((-180.0, 85.0), script.t + STEP)
    script.table.append(down(BURN_AT))
    script.rest(2.0)
    show = script.events[-1]
    assert (show.event, show.player, show.cards, show.to) == ("show", "Dan", ("3H",), "Bob")


def test_a_card_of_its_rank_held_out_soon_after_answers_a_shown_one() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    script.rest(1.5)
    script.reach("Bob", ((150.0, 20.0), 1.0), held=card("3C", (190.0, 20.0)))
    script.rest(2.0)
    first, last = (event for event in script.events if event.event == "show")
    assert (first.player, first.to, first.answers) == ("Dan", "Bob", ())
    assert (last.revise, last.cards, last.answers) == (first.id, ("3H",), (("Bob", "Dan"),))
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("4H", (-190.0, 20.0)))
    script.rest(2.0)
    assert (script.events[-1].event, script.events[-1].revise) == ("show", None), "a 4 answers no 3"


def test_straightening_hides_cards_of_a_set_and_takes_none() -> None:
    script = Script()
    low, high = card("7S", PLAY_AT), card("7C", (PLAY_AT[0] - 20, PLAY_AT[1]))
    script.play("Ann", low, high)
    script.table.remove(high)
    script.reach("Bob", (PLAY_AT, 0.5))
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Ann", ("7S", "7C"))]


def test_a_card_held_over_the_pile_and_then_played_is_not_shown() -> None:
    script = Script()
    nine = card("9S", PLAY_AT)
    script.reach("Dan", (PLAY_AT, 1.0), held=nine)
    script.table.append(nine)
    script.rest(2.0)
    assert script.told()[1:] == [("play", "Dan", ("9S",))]


def test_the_play_pile_is_found_where_the_first_card_comes_to_rest() -> None:
    script = Script(play=None)
    script.play("Ann", card("9S", PLAY_AT))
    assert script.told()[1:] == [("play", "Ann", ("9S",))]
    assert script.maker.layout.play is not None
    assert math.dist(script.maker.layout.play, PLAY_AT) < 5


def test_an_exchange_is_told_before_the_first_play_and_taking_up_after_it() -> None:
    script = Script()
    spot, place = Zone("row", 1, 1), script.maker.layout.seats[1].row[1]
    script.reach("Bob", (place, 0.3))
    script.rows[spot] = down(place)
    script.rest(0.8)
    script.reach("Bob", (place, 0.3))
    script.rows[spot] = card("2S", place)
    script.rest()
    exchange = script.events[-1]
    assert (exchange.event, exchange.player, exchange.up) == ("exchange", "Bob", {"Bob": ("9D", "2S", "AD")})
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (place, 0.3))
    script.rows[spot] = down(place)
    script.rest(2.5)
    assert script.told()[-1] == ("take_up", "Bob", ("2S",))


def test_a_play_that_is_taken_back_is_withdrawn() -> None:
    script = Script()
    script.play("Ann", card("KS", PLAY_AT))
    script.play("Bob", card("4D", (-40.0, 18.0), angle=30))
    script.reach("Bob", ((-40.0, 18.0), 0.4))
    script.table.pop()
    script.rest(4.0)
    assert script.told()[1:] == [("play", "Ann", ("KS",))]


def test_a_pick_up_in_two_goes_is_one_pick_up() -> None:
    script = Script()
    for player, name, x in (("Ann", "4H", -75.0), ("Bob", "6H", -60.0), ("Cat", "9H", -45.0)):
        script.play(player, card(name, (x, 0.0)))
    script.reach("Dan", (PLAY_AT, 0.4))
    script.table = script.table[:1]
    script.rest(1.0)
    script.reach("Dan", (PLAY_AT, 0.4))
    script.table.clear()
    script.rest()
    told = script.told()[-1]
    assert (told[0], told[1], sorted(told[2])) == ("pick_up", "Dan", ["4H", "6H", "9H"])


def test_what_is_open_at_the_end_is_still_told() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.5), ((-300.0, 0.0), 0.1))
    script.table.clear()
    script.rest(0.35)
    script.events += script.maker.finish(script.t)
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",))


@pytest.mark.parametrize("zone", [DRAW, PLAY])
def test_zones_are_told_by_place(zone: Zone) -> None:
    place = layout().place_of(zone)
    assert place is not None
    assert layout().zone_at(place[0] + 20, place[1] - 15) == zone
    assert layout().zone_at(place[0], place[1] + 150) is None


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


def test_a_draw_is_told_soon_and_goes_on_when_the_hand_is_back_for_more() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
    script.rest(0.8)
    assert script.events[-1].event == "draw"
    assert script.events[-1].decided_at - script.events[-1].t < 0.7
    script.reach("Ann", (DRAW_AT, 0.3), ((70.0, 250.0), 0.1))
    script.rest()
    draw = script.events[-1]
    assert (draw.event, draw.count, draw.revise) == ("draw", 2, draw.id - 1)


def test_a_name_that_only_flickers_is_no_play() -> None:
    script = Script()
    for name, place in (("4D", PLAY_AT), ("KC", (-60.0, 30.0))):
        script.play("Ann", card(name, place))
    script.reach("Bob", (PLAY_AT, 0.3))
    phantom = card("4S", (-66.0, -20.0), p=0.7, angle=40)
    for number in range(6):
        script.table = [card("4D", PLAY_AT), *([phantom] if number in (0, 2) else [])]
        script.t += 0.2
        script.events += script.maker.on_hands(Hands(script.t, (), (), {}))
        script.look()
    assert ("play", "Bob", ("4S",)) not in script.told()


def test_a_hand_on_the_bare_place_picks_up_nothing_but_in_answer_to_a_shown_card() -> None:
    script = Script()
    script.play("Ann", card("9S", PLAY_AT))
    script.reach("Bob", (PLAY_AT, 0.5), ((0.0, -200.0), 0.1))
    script.table.clear()
    script.rest()
    script.reach("Cat", (PLAY_AT, 0.4))
    script.rest()
    assert script.told()[-1] == ("pick_up", "Bob", ("9S",)), "Cat only pointed"
    script.reach("Dan", ((-150.0, 20.0), 1.0), held=card("3H", (-190.0, 20.0)))
    script.rest(2.0)
    assert script.events[-1].to == "Bob"
    script.reach("Bob", (PLAY_AT, 0.4))
    script.rest()
    assert script.told()[-1] == ("pick_up", "Bob", ())


def test_with_two_packs_a_card_of_which_one_lies_before_a_player_can_be_played() -> None:
    script = Script(packs=2)
    script.play("Bob", Seen(*PLAY_AT, 90.0, "up", {"10H": 0.9, "10D": 0.1}))
    assert script.told()[1:] == [("play", "Bob", ("10H",))], "another 10H lies before Cat"
    alone = Script()
    alone.play("Bob", Seen(*PLAY_AT, 90.0, "up", {"10H": 0.9, "10D": 0.1}))
    assert alone.told()[1:] == [("play", "Bob", ("10D",))], "there is no other 10H"
