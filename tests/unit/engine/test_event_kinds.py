"""No kind of event is forgotten."""

from __future__ import annotations

from engine.events import EVENT_KINDS, REMARKS
from engine.referee.apply import HANDLERS


def test_the_referee_handles_every_kind_of_event_that_is_more_than_a_remark() -> None:
    assert set(HANDLERS).isdisjoint(REMARKS)
    assert {*HANDLERS, *REMARKS} == set(EVENT_KINDS)
