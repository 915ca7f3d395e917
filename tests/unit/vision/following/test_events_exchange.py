"""Up-cards that are exchanged before the game."""

from __future__ import annotations

from tests.support.event_script import PLAY_AT, Script, card, down
from vision.following.reported_events import ReportedEvents
from vision.table.layout import Place, Zone
from vision.table.observations import Observation


def exchange_begun(script: Script) -> tuple[Zone, Place]:
    """Have Bob take an up-card into his hand; returns its spot and place."""
    spot, place = Zone("row", 1, 1), script.maker.layout.seats[1].row[1]
    script.reach("Bob", (place, 0.3))
    script.rows[spot] = down(place)
    script.rest(0.8)
    return spot, place


def test_an_exchange_is_told_before_the_first_play_and_taking_up_after_it() -> None:
    script = Script()
    spot, place = exchange_begun(script)
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


def test_what_an_exchange_put_into_the_hand_is_played_from_the_hand() -> None:
    """Bob exchanges and plays at one go, before his row is seen again."""
    script = Script()
    spot, place = exchange_begun(script)
    script.rows[spot] = None
    script.table.append(card("JC", PLAY_AT))
    reach = script.leave("Bob", script.table[0])
    script.go_on(reach, [place] * 3, over=[spot])
    script.rows[spot] = card("2S", place)
    script.rest(3.0)
    assert script.told()[1:] == [("play", "Bob", ("JC",)), ("exchange", "Bob", ())]
    plays = [event for event in script.events if event.event == "play"]
    assert [event.source for event in plays] == ["up", "hand"]


def test_an_exchange_that_hands_hide_until_after_the_first_play_is_still_told() -> None:
    script = Script()
    spot, place = Zone("row", 1, 1), script.maker.layout.seats[1].row[1]
    script.reach("Bob", (place, 0.3))
    script.rows[spot] = card("2S", place)
    script.reach("Ann", (PLAY_AT, 0.4))
    script.table.append(card("9S", PLAY_AT))
    for _ in range(8):
        script.pass_frame(spot)
        script.look(hidden=frozenset({spot}))
    assert script.told()[1:] == [("play", "Ann", ("9S",))]
    script.rest()
    exchange = script.events[-1]
    assert (exchange.event, exchange.player, exchange.up) == ("exchange", "Bob", {"Bob": ("9D", "2S", "AD")})
    script.play("Bob", card("JC", PLAY_AT))
    assert (script.events[-1].event, script.events[-1].source) == ("play", "hand")


def test_an_exchange_that_is_broken_off_at_the_end_takes_nothing_up() -> None:
    script = Script()
    exchange_begun(script)
    script.events += script.maker.finish(script.t)
    assert [event for event, _, _ in script.told()] == ["deal"]


def test_an_exchange_that_cannot_be_read_does_not_hide_what_others_take_up() -> None:
    script = Script()
    seats = script.maker.layout.seats
    script.reach("Bob", (seats[1].row[1], 0.3))
    script.rows[Zone("row", 1, 1)] = down(seats[1].row[1])
    script.rest(0.8)
    script.reach("Bob", (seats[1].row[1], 0.3))
    script.rows[Zone("row", 1, 1)] = Observation(*seats[1].row[1], 90.0, "up", {"2S": 0.2, "5S": 0.2})
    script.rest()
    script.play("Ann", card("9S", PLAY_AT))
    script.rest(9.0)
    script.reach("Cat", (seats[2].row[1], 0.3))
    script.rows[Zone("row", 2, 1)] = down(seats[2].row[1])
    script.rest(2.5)
    assert script.told()[-1] == ("take_up", "Cat", ("8C",))


def test_who_lets_a_hand_rest_on_the_card_just_put_down_has_exchanged_before() -> None:
    script = Script()
    spot, place = exchange_begun(script)
    came = script.t
    reach = script.reach("Bob", (place, 5.0))
    script.go_on(reach, [(place[0] - 60.0, place[1])] * 3, over=[spot])
    script.rows[spot] = card("2S", place)
    script.rest()
    exchange = script.events[-1]
    assert exchange.event == "exchange"
    assert came < exchange.t < came + 1.5


def test_an_exchange_told_late_does_not_come_between_the_cards_of_a_set() -> None:
    """Bob's hand rests on his row while Cat begins to put down her set."""
    log = ReportedEvents()
    first = log.add("exchange", 3.0, 4.0, player="Ann")
    assert log.is_newest(first)
    play = log.add("play", 6.0, 6.2, player="Cat", cards=("5H",), source="hand")
    log.add("exchange", 2.0, 7.0, player="Bob")
    assert log.is_newest(play)
