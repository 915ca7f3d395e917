"""Corrects the layout on the live picture: drag a name to its place, or tap the places one by one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.modalview import ModalView

from companion.app.screens import live  # noqa: F401 - the kv file names its widget
from companion.app.screens.arrangement import Box, overlap
from companion.app.screens.widgets import PillButton, signed
from companion.game.display_image import DisplayImage
from companion.game.places import place_markers
from companion.game.session import Snapshot
from companion.i18n.catalogue import _
from vision.table.layout import Layout, Place, Zone
from vision.table.manual_layout import TappedPlaces

_REACH_DP = 28
"""Distance within which a finger picks up a mark."""
_STAYS_S = 10.0
"""A dropped mark stays in place until the session has answered, but no longer than this."""
_WIDEST_NAME = 0.4
"""Fraction of the picture's width; longer names are cut."""


class PlaceMark(FloatLayout):
    """A ring around a place's centre, with its name beside it."""

    name = StringProperty("")
    ring = NumericProperty(28)
    """Diameter of the ring in pixels."""
    held = BooleanProperty(False)
    """Whether a finger holds it."""
    waits = BooleanProperty(False)
    """Whether its place is unknown, so that it waits beside the picture."""

    def tag_box(self) -> Box:
        """Return the box of the name."""
        tag = self.ids.tag
        return Box(tag.x, tag.y, tag.width, tag.height)

    def put_tag(self, within: Box, taken: Sequence[Box]) -> None:
        """Place the name beside the ring, inside the picture and clear of `taken`."""
        tag, (x, y) = self.ids.tag, self.center
        tag.text_size = None, None
        tag.texture_update()
        if tag.texture_size[0] > _WIDEST_NAME * within.width:
            tag.text_size = _WIDEST_NAME * within.width, None
            tag.texture_update()
        tag.size = tag.texture_size[0] + tag.font_size, tag.texture_size[1] + 0.4 * tag.font_size
        across, up = (self.ring + tag.width) / 2 + dp(2), (self.ring + tag.height) / 2 + dp(1)
        offsets = (0, up), (0, -up), (across, 0), (-across, 0), (across, up), (-across, up), (across, -up)
        boxes = []
        for dx, dy in offsets:
            left = min(max(x + dx - tag.width / 2, within.x), within.x + within.width - tag.width)
            low = min(max(y + dy - tag.height / 2, within.y), within.y + within.height - tag.height)
            boxes.append(Box(left, low, tag.width, tag.height))
        own = Box(x - self.ring / 2, y - self.ring / 2, self.ring, self.ring)
        free = [box for box in boxes if not any(overlap(box, other) for other in (*taken, own))]
        tag.pos = (free or boxes)[0][:2]


class PlacesView(ModalView):
    """The live picture as large as possible, with marks, a line of instructions, and buttons."""

    says = StringProperty("")
    upright = BooleanProperty(True)
    """Whether instructions and buttons stand above and below the picture, rather than beside it."""
    waiting = NumericProperty(0)
    """Number of marks that wait beside the picture."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.marks: dict[Zone, PlaceMark] = {}
        self.buttons: dict[str, PillButton] = {}
        self._picture: DisplayImage | None = None
        self._touch: Any = None
        for part in (self, self.ids.live, self.ids.side):
            part.bind(pos=self.lay, size=self.lay)

    def show(self, picture: DisplayImage | None, snapshot: Snapshot) -> None:
        """Show the newest picture and snapshot."""
        if picture is not None and (self._picture is None or picture.serial != self._picture.serial):
            resized = self._picture is None or picture.source_size != self._picture.source_size
            self._picture = picture
            self.ids.live.show_picture(picture)
            if resized:
                self.lay()

    def lay(self, *_args: object) -> None:
        """Put every mark at its place, with its name beside it."""

    def button(self, name: str, text: str, act: Callable[[], Any], *, primary: bool = False) -> PillButton:
        """Add a button."""
        button = PillButton(text=signed(text), size_hint=(1, 1), primary=primary)
        button.bind(on_release=lambda _button: act())
        self.buttons[name] = button
        self.ids.buttons.add_widget(button)
        return button

    def mark(self, zone: Zone, name: str) -> PlaceMark:
        """Return the mark of a zone, and make it if necessary."""
        if zone not in self.marks:
            self.marks[zone] = PlaceMark()
            self.ids.marks.add_widget(self.marks[zone])
        self.marks[zone].name = name
        return self.marks[zone]

    def lay_tags(self) -> None:
        """Place the names clear of each other and of the rings."""
        marks = [mark for mark in self.marks.values() if not mark.waits]
        rings = [Box(m.center_x - m.ring / 2, m.center_y - m.ring / 2, m.ring, m.ring) for m in marks]
        taken = list(rings)
        for mark in marks:
            mark.put_tag(self.ids.live.image_box(), taken)
            taken.append(mark.tag_box())
        side = self.ids.side
        for mark in self.marks.values():
            if mark.waits:
                mark.put_tag(Box(side.x, side.y, side.width, side.height * 0.7), ())

    def on_touch_down(self, touch: Any) -> bool:
        """Start an action if the finger is on the picture or on a mark."""
        if self._touch is None and not touch.is_mouse_scrolling and self.begins(touch.pos):
            touch.grab(self)
            self._touch = touch
            return True
        return bool(super().on_touch_down(touch))

    def on_touch_move(self, touch: Any) -> bool:
        """Follow the finger."""
        if touch is not self._touch:
            return bool(super().on_touch_move(touch))
        if touch.grab_current is self:
            self.follows(touch.pos)
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """Finish the action where the finger lifts."""
        if touch is not self._touch:
            return bool(super().on_touch_up(touch))
        if touch.grab_current is self:
            touch.ungrab(self)
            self._touch = None
            self.ends(touch.pos)
        return True

    def begins(self, pos: Place) -> bool:
        """Start an action at a point. Return whether this view handles the touch."""
        raise NotImplementedError

    def follows(self, pos: Place) -> None:
        """Follow the finger."""
        raise NotImplementedError

    def ends(self, pos: Place) -> None:
        """Finish the action at a point."""
        raise NotImplementedError


class DragPlaces(PlacesView):
    """Marks at the places of the layout. A drag moves one."""

    def __init__(self, on_put: Callable[[Zone, Place], None], asks: str = "", **kwargs: Any) -> None:
        """`on_put` gets a zone and the source's pixel at which it was dropped. `asks` replaces the hint."""
        super().__init__(**kwargs)
        self._asks = asks
        self._on_put = on_put
        self._layout: Layout | None = None
        self._held: tuple[Zone, Place] | None = None
        """The dragged zone, and the offset of its centre from the finger."""
        self._let_go: dict[Zone, tuple[float, Place]] = {}
        """Time and pixel of each drop that the session has not answered yet."""
        self._answers: int | None = None
        """Number of the session's answers; None while unknown."""
        self._news = ""
        """The session's newest answer since this view opened."""
        self.button("done", _("Done"), self.dismiss, primary=True)

    def show(self, picture: DisplayImage | None, snapshot: Snapshot) -> None:
        """Show the picture and the layout."""
        answered = self._answers is not None and snapshot.requests_done != self._answers
        self._answers = snapshot.requests_done
        if answered:
            self._news = snapshot.says
        super().show(picture, snapshot)
        if snapshot.layout is not self._layout or self._let_go:
            self._layout = snapshot.layout
            over = time.monotonic() - _STAYS_S
            self._let_go = {} if answered else {z: go for z, go in self._let_go.items() if go[0] > over}
            self.lay()
        if self._held is None:
            self.says = self._news or self._hint()

    def _hint(self) -> str:
        if self._layout is None:
            return _("The places are not known yet. Their names appear here after the deal.")
        return self._asks or _("Drag each name to its place: a pile, or the middle of a player’s row.")

    def lay(self, *_args: object) -> None:
        """Put every mark at its place in the layout, or beside the picture."""
        marks = place_markers(self._layout)
        for zone in {*self.marks} - {mark.zone for mark in marks}:
            self.ids.marks.remove_widget(self.marks.pop(zone))
        waiting, taken_hold = [], 0
        for place in marks:
            mark = self.mark(place.zone, place.name)
            if mark.held:  # keep its space beside the picture, so that the picture stays still
                taken_hold += place.at is None and place.zone not in self._let_go
                continue
            at = self._let_go[place.zone][1] if place.zone in self._let_go else place.at
            mark.waits = at is None
            if at is None:
                waiting.append(mark)
            else:
                mark.center = self.ids.live.point_of(at)
        self.waiting = len(waiting) + taken_hold
        side = self.ids.side
        for number, mark in enumerate(waiting):
            mark.center = (
                side.x + (number + 0.5) * side.width / len(waiting),
                side.y + side.height * 0.46,
            )
        self.lay_tags()

    def begins(self, pos: Place) -> bool:
        """Pick up the nearest mark under the finger."""
        near = [
            (math.dist(pos, mark.center), zone)
            for zone, mark in self.marks.items()
            if math.dist(pos, mark.center) <= max(dp(_REACH_DP), mark.width / 2)
            or overlap(mark.tag_box(), Box(*pos, 1, 1))
        ]
        if not near:
            return False
        zone = min(near, key=lambda found: found[0])[1]
        mark = self.marks[zone]
        self._held = zone, (mark.center_x - pos[0], mark.center_y - pos[1])
        mark.held = True
        self.says = _("{what}: drop it on the middle of its place.").format(what=mark.name)
        return True

    def follows(self, pos: Place) -> None:
        """Move the mark with the finger."""
        if self._held is not None:
            zone, beside = self._held
            self.marks[zone].center = pos[0] + beside[0], pos[1] + beside[1]
            self.marks[zone].waits = False
            self.lay_tags()

    def ends(self, pos: Place) -> None:
        """Report where the mark was dropped. A mark dropped beside the picture goes back."""
        if self._held is None:
            return
        zone, beside = self._held
        self._held = None
        mark = self.marks.get(zone)
        if mark is None:
            return
        mark.held = False
        pixel = self.ids.live.pixel_at(pos[0] + beside[0], pos[1] + beside[1])
        if pixel is not None:
            self._let_go[zone] = time.monotonic(), pixel
            self._news = ""
            self._on_put(zone, pixel)
        self.says = self._news or self._hint()
        self.lay()


class TapPlaces(PlacesView):
    """Asks for one place after the other. A tap on the picture answers."""

    def __init__(
        self, players: Sequence[str], on_shown: Callable[[TappedPlaces], None], **kwargs: Any
    ) -> None:
        """`on_shown` gets the tapped places, in pixels of the source."""
        super().__init__(**kwargs)
        self._steps = [
            *((Zone("row", seat), name, self._row(name)) for seat, name in enumerate(players)),
            (Zone("draw"), _("Draw pile"), _("Tap the draw pile.")),
        ]
        self._on_shown = on_shown
        self._tapped: list[Place] = []
        self.button("back", _("Back"), self.back)
        self.button("none", _("There is none"), partial(self._finish, None))
        self.button("cancel", _("Cancel"), self.dismiss)
        self._ask()

    @staticmethod
    def _row(name: str) -> str:
        return _("Tap the middle of {player}’s row.").format(player=name)

    def back(self) -> None:
        """Ask for the previous place again."""
        if self._tapped:
            self._tapped.pop()
            self._ask()

    def lay(self, *_args: object) -> None:
        """Put a mark at each tapped place."""
        for (zone, name, _says), pixel in zip(self._steps, self._tapped, strict=False):
            self.mark(zone, name).center = self.ids.live.point_of(pixel)
        for zone, _name, _says in self._steps[len(self._tapped) :]:
            if zone in self.marks and not self.marks[zone].held:
                self.ids.marks.remove_widget(self.marks.pop(zone))
        self.lay_tags()

    def begins(self, pos: Place) -> bool:
        """Put a mark under a finger on the picture."""
        if self.ids.live.pixel_at(*pos) is None or len(self._tapped) == len(self._steps):
            return False
        zone, name, _says = self._steps[len(self._tapped)]
        self.mark(zone, name).held = True
        self.follows(pos)
        return True

    def follows(self, pos: Place) -> None:
        """Move the mark with the finger."""
        zone = self._steps[len(self._tapped)][0]
        self.marks[zone].center = pos
        self.lay_tags()

    def ends(self, pos: Place) -> None:
        """Take the place and ask for the next one. After the last, report them all."""
        zone = self._steps[len(self._tapped)][0]
        self.marks[zone].held = False
        pixel = self.ids.live.pixel_at(*pos)
        if pixel is None:
            self.lay()
        elif zone.kind == "draw":
            self._finish(pixel)
        else:
            self._tapped.append(pixel)
            self._ask()

    def _finish(self, draw: Place | None) -> None:
        self._on_shown(TappedPlaces(tuple(self._tapped), draw))
        self.dismiss()

    def _ask(self) -> None:
        zone, _name, says = self._steps[len(self._tapped)]
        self.says = f"{says}  ({len(self._tapped) + 1}/{len(self._steps)})"
        self.buttons["back"].disabled = not self._tapped
        none = self.buttons["none"]
        none.disabled = zone.kind != "draw"
        self.lay()


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
