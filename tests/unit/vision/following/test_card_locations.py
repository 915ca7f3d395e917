"""Cards that are seen in a row are not what is read on the play pile."""

from __future__ import annotations

import pytest

from tests.support.event_script import PLAY_AT, Script, card, down
from vision.table.layout import Zone
from vision.table.observations import Observation

BOBS_JACK = Zone("row", 1, 1)


@pytest.mark.parametrize("surely", [0.97, 0.999])
def test_a_half_covered_card_surely_read_as_one_that_is_seen_in_a_row_is_not_that_one(surely: float) -> None:
    """Of the 3H on the pile little shows, and reads like the JC that lies before Bob."""
    script = Script()
    script.rows[BOBS_JACK] = card("JC", script.maker.layout.seats[1].row[1], surely)
    script.play("Ann", card("3H", PLAY_AT))
    script.reach("Cat", (PLAY_AT, 0.4))
    misread = Observation(PLAY_AT[0] + 4, PLAY_AT[1] + 6, 86.0, "up", {"JC": 0.99, "3H": 0.005})
    script.table = [misread, card("5H", (-36.0, 2.0), 0.99, angle=76.0)]
    script.rest()
    cards = ("5H",) if surely > 0.99 else ("JC", "5H")
    assert script.told()[-1] == ("play", "Cat", cards), "what is read more surely counts"


def test_a_card_that_is_played_from_a_row_is_told() -> None:
    script = Script()
    script.play("Ann", card("3H", PLAY_AT))
    script.reach("Bob", (script.maker.layout.seats[1].row[1], 0.3), (PLAY_AT, 0.4))
    script.rows[BOBS_JACK] = down(script.maker.layout.seats[1].row[1])
    script.table.append(card("JC", (-40.0, 10.0), 0.96))
    script.rest()
    assert script.told()[1:] == [("play", "Ann", ("3H",)), ("play", "Bob", ("JC",))]
