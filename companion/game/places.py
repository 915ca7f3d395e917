"""Positions of seats and piles in the frame, and how people correct them. Free of Kivy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from companion.i18n.catalogue import _
from engine.errors import BadInputError
from vision.table.layout import BURN, DRAW, PLAY, Layout, Place, Zone

if TYPE_CHECKING:
    from vision.table.manual_layout import TappedPlaces


JOINING_S = 8.0
"""Seconds of pictures without a deal after which the app asks whether a game is going on."""


class LayoutEditor(Protocol):
    """Accepts corrections of the layout (`vision.following.watcher.Watcher`)."""

    def put(self, zone: Zone, pixel: Place) -> None:
        """Move a pile or a row to a pixel."""
        ...

    def lay_out(self, shown: TappedPlaces) -> None:
        """Begin with a table whose places a person tapped."""
        ...


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a watched game."""

    layout: Layout | None
    """The layout in the newest frame; None while it is unknown."""
    watcher: LayoutEditor


@dataclass(frozen=True, slots=True)
class PlaceMarker:
    """The mark of one place in the frame."""

    zone: Zone
    """For a row, only the seat counts."""
    name: str
    at: Place | None
    """Its centre in pixels of the source; None while it is unknown."""


def place_markers(layout: Layout | None) -> list[PlaceMarker]:
    """Return a mark for every pile and every player's row. Without a layout there is none."""
    if layout is None:
        return []
    zones = [*(Zone("row", seat) for seat in range(len(layout.seats))), DRAW, PLAY, BURN]
    return [PlaceMarker(zone, place_name(zone, layout), _pixel(layout, zone)) for zone in zones]


def place_name(zone: Zone, layout: Layout) -> str:
    """Return the name of a place in the current language. A row has its player's name."""
    if zone.kind == "row":
        return layout.seats[zone.seat].player
    return {DRAW: _("Draw pile"), PLAY: _("Play pile"), BURN: _("Burn pile")}[zone]


class HasPlaces(Protocol):
    """A game that may have places."""

    @property
    def places(self) -> Places | None:
        """Positions of seats and piles, and how to correct them; None without a camera."""
        ...


def move_place(game: HasPlaces, zone: Zone, pixel: Place) -> str:
    """Move a pile or a row of a game, and return a line for the user.

    Raises:
        BadInputError: it cannot be there, or the game has no camera.
    """
    places = _places_of(game)
    places.watcher.put(zone, pixel)
    return _("Moved: {what}").format(
        what=place_name(zone, places.layout) if places.layout is not None else zone.kind
    )


def set_layout(game: HasPlaces, shown: TappedPlaces) -> str:
    """Set the whole layout of a game from a person's taps, and return a line for the user.

    Raises:
        BadInputError: no table is like that, or the game has no camera.
    """
    _places_of(game).watcher.lay_out(shown)
    return _("The game begins with the cards on the table")


def _places_of(game: HasPlaces) -> Places:
    if game.places is None:
        raise BadInputError("No camera watches this game.")
    return game.places


def _pixel(layout: Layout, zone: Zone) -> Place | None:
    place = layout.seats[zone.seat].centre if zone.kind == "row" else layout.place_of(zone)
    if place is None:
        return None
    x, y = layout.plane.to_pixels([place])[0]
    return float(x), float(y)
