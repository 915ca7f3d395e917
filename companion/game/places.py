"""Where seats and piles lie in the picture, by their names, and how people put that right. Free of Kivy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from companion.i18n.catalogue import _
from engine.errors import BadInputError
from vision.table.layout import BURN, DRAW, PLAY, Layout, Place, Zone

if TYPE_CHECKING:
    from vision.table.manual_layout import Shown


class LayoutEditor(Protocol):
    """What takes a person's word for where things lie (`vision.following.watcher.Watcher`)."""

    def put(self, zone: Zone, pixel: Place) -> None:
        """Take a pile or a row for where a pixel shows it."""
        ...

    def lay_out(self, shown: Shown) -> None:
        """Take the table for one whose places were tapped."""
        ...


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a game that is watched."""

    layout: Layout | None
    """As they lie in the latest picture; None while they are not known."""
    watcher: LayoutEditor


@dataclass(frozen=True, slots=True)
class PlaceMarker:
    """One place, as it is marked in the picture."""

    zone: Zone
    """A row's names only the seat."""
    name: str
    at: Place | None
    """Its middle in pixels of the source; None: it is not known yet."""


def place_markers(layout: Layout | None) -> list[PlaceMarker]:
    """Return a mark for every pile and every player's row; none while nothing is known."""
    if layout is None:
        return []
    zones = [*(Zone("row", seat) for seat in range(len(layout.seats))), DRAW, PLAY, BURN]
    return [PlaceMarker(zone, place_name(zone, layout), _pixel(layout, zone)) for zone in zones]


def place_name(zone: Zone, layout: Layout) -> str:
    """Return what a place is called, in the language in force: a row by its player's name."""
    if zone.kind == "row":
        return layout.seats[zone.seat].player
    return {DRAW: _("Draw pile"), PLAY: _("Play pile"), BURN: _("Burn pile")}[zone]


class HasPlaces(Protocol):
    """A game as far as its places go."""

    @property
    def places(self) -> Places | None:
        """Where seats and piles lie, and how that is put right; None: nothing is watched."""
        ...


def move_place(game: HasPlaces, zone: Zone, pixel: Place) -> str:
    """Tell a game where a pile or a row is; returns what there is to say of it.

    Raises:
        BadInputError: it cannot be there, or nothing is watched.
    """
    places = _places_of(game)
    places.watcher.put(zone, pixel)
    return _("Put right: {what}").format(
        what=place_name(zone, places.layout) if places.layout is not None else zone.kind
    )


def set_layout(game: HasPlaces, shown: Shown) -> str:
    """Tell a game where everything lies that a person has tapped; returns what there is to say of it.

    Raises:
        BadInputError: no table is like that, or nothing is watched.
    """
    _places_of(game).watcher.lay_out(shown)
    return _("The game begins with what lies there")


def _places_of(game: HasPlaces) -> Places:
    if game.places is None:
        raise BadInputError("No camera watches this game.")
    return game.places


def _pixel(layout: Layout, zone: Zone) -> Place | None:
    place = layout.seats[zone.seat].centre if zone.kind == "row" else layout.place_of(zone)
    if place is None:
        return None
    x, y = layout.plane.pixels([place])[0]
    return float(x), float(y)
