"""The live picture with the cards outlined and named."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, InstructionGroup, Rectangle, SmoothLine, SmoothRoundedRectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp
from kivy.properties import BooleanProperty
from kivy.uix.widget import Widget

from companion import theme
from companion.app.screens.arrangement import Box, overlap
from companion.app.screens.fonts import SIGN_FONT
from companion.game.display_image import DisplayImage
from companion.i18n.wording import card_label
from vision.types import CardReading

_CERTAIN = 0.8
"""Below this confidence, a name is shown with its probability."""


class LivePicture(Widget):
    """Shows the newest picture, letterboxed, with the readings over it.

    A recognised card has a solid outline and its name. An unrecognised one is amber with `?`, and a face-down
    one has a thin outline. The cards of the last ruling carry its sign and colour.
    """

    dark_when_empty = BooleanProperty(True)
    """Whether the ground is drawn even without a picture."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.names: tuple[str, ...] = ()
        """The names on the outlined cards, for tests."""
        self._picture: DisplayImage | None = None
        self._texture: Texture | None = None
        self._readings: Sequence[CardReading] = ()
        self._judged: Collection[str] = ()
        self._verdict = "legal"
        self._moving = False
        self._chips: dict[tuple[str, int], Texture] = {}
        with self.canvas:
            Color(*theme.rgba("#000000"))
            self._backdrop = Rectangle()
            Color(1, 1, 1)
            self._image = Rectangle()
        self._overlay = InstructionGroup()
        self.canvas.add(self._overlay)
        self.bind(pos=self._place, size=self._place, dark_when_empty=self._place)

    @property
    def shows_picture(self) -> bool:
        """Whether a picture is on the screen."""
        return self._texture is not None

    def show_picture(self, picture: DisplayImage) -> None:
        """Show the newest picture."""
        if self._texture is None or self._texture.size != picture.size:
            self._texture = Texture.create(size=picture.size, colorfmt="rgb")
            self._texture.flip_vertical()
            self._image.texture = self._texture
        self._texture.blit_buffer(picture.rgb, colorfmt="rgb", bufferfmt="ubyte")
        resized = self._picture is None or self._picture.size != picture.size
        self._picture = picture
        if resized:
            self._place()
        else:
            self.canvas.ask_update()

    def clear(self) -> None:
        """Show nothing."""
        self._picture = self._texture = self._image.texture = None
        self._readings = ()
        self._place()

    def show_readings(
        self, readings: Sequence[CardReading], *, judged: Collection[str], verdict: str, moving: bool
    ) -> None:
        """Outline `readings`; cards in `judged` have the colour of `verdict`."""
        self._readings, self._judged, self._verdict, self._moving = readings, judged, verdict, moving
        self._draw()

    def pixel_at(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the source's pixel that is shown at a point, or None outside the picture."""
        left, low, width, height = self.image_box()
        if self._picture is None or not (left <= x <= left + width and low <= y <= low + height):
            return None
        source_width, source_height = self._picture.source_size
        return (x - left) * source_width / width, (low + height - y) * source_height / height

    def point_of(self, pixel: Sequence[float]) -> tuple[float, float]:
        """Return the point at which a pixel of the source is shown."""
        left, low, width, height = self.image_box()
        source_width, source_height = (1, 1) if self._picture is None else self._picture.source_size
        return (
            left + float(pixel[0]) * width / source_width,
            low + height - float(pixel[1]) * height / source_height,
        )

    def image_box(self) -> Box:
        """Return the box of the picture, whole and centred."""
        if self._picture is None:
            return Box(self.x, self.y, self.width, self.height)
        width, height = self._picture.size
        scale = min(self.width / width, self.height / height)
        shown = width * scale, height * scale
        return Box(self.center_x - shown[0] / 2, self.center_y - shown[1] / 2, *shown)

    def _place(self, *_: object) -> None:
        self._backdrop.pos, self._backdrop.size = self.pos, self.size
        x, y, width, height = self.image_box()
        self._image.pos, self._image.size = (x, y), (width, height)
        if self._picture is None:
            self._image.size = (0, 0)
            if not self.dark_when_empty:
                self._backdrop.size = (0, 0)
        elif width >= self.width - 1 and height >= self.height - 1:
            self._backdrop.size = (0, 0)  # it would be invisible
        self._draw()

    def _draw(self) -> None:
        self._overlay.clear()
        self.names = ()
        if self._picture is None:
            return
        chips: list[tuple[int, int, str, str, Sequence[tuple[float, float]]]] = []
        for reading in self._readings:
            corners = [self.point_of(corner) for corner in reading.quad]
            name, ink, thick = self._style(reading)
            self._outline(corners, ink, thick)
            if name:
                certain = reading.card is not None and reading.confidence >= _CERTAIN
                order = 0 if reading.card in self._judged else 2 if certain else 1
                chips.append((order, len(chips), name, ink, corners))
        # Names come last so that no outline crosses them. Names of the ruling are placed first, then
        # uncertain ones. A certain name is left out if it has no place.
        taken: list[Box] = []
        drawn = [
            (number, written)
            for order, number, name, ink, corners in sorted(chips, key=lambda chip: chip[:2])
            if (written := self._chip(name, ink, corners, taken, must=order < 2))
        ]
        self.names = tuple(name for _number, name in sorted(drawn))

    def _outline(self, corners: Sequence[tuple[float, float]], ink: str, thick: float) -> None:
        points = [value for corner in corners for value in corner]
        alpha = 0.85 if self._moving else 1.0
        group = self._overlay
        group.add(Color(0, 0, 0, 0.55 * alpha))
        group.add(SmoothLine(points=points, close=True, width=dp(thick + 1.2), joint="round"))
        group.add(Color(*theme.rgba(ink, alpha)))
        group.add(SmoothLine(points=points, close=True, width=dp(thick), joint="round"))

    def _style(self, reading: CardReading) -> tuple[str, str, float]:
        """Return (name, colour, half the line's width in dp)."""
        if reading.face == "down":
            return "", theme.QUIET, 0.8
        if reading.card is None:
            return "?", theme.AMBER, 1.5
        name = card_label(reading.card)
        if reading.confidence < _CERTAIN:
            name += f" {100 * reading.confidence:.0f}%"
        if reading.card in self._judged:
            return f"{theme.VERDICT_SIGN[self._verdict]} {name}", theme.VERDICT_INK[self._verdict], 2.2
        return name, theme.SKY, 1.5

    def _chip(
        self, name: str, ink: str, corners: Sequence[tuple[float, float]], taken: list[Box], *, must: bool
    ) -> str:
        """Write a card's name on it, or beside it if another name is there. Return the text written.

        A probability without room becomes a question mark. A name that `must` be written covers others if
        necessary.
        """
        short = f"{name.rpartition(' ')[0]}?" if name.endswith("%") else name
        pad, box = dp(4), None
        for written in dict.fromkeys((name, short)):
            texture = self._chip_texture(written)
            width, height = texture.width + 2 * pad, texture.height + pad
            box = place_chip(corners, width, height, taken)
            if box is not None:
                break
        if box is None:
            if not must:
                return ""
            box = place_chip(corners, width, height, ())
            assert box is not None
        taken.append(box)
        alpha = 0.85 if self._moving else 1.0
        group = self._overlay
        group.add(Color(*theme.rgba(theme.GROUND, 0.88 * alpha)))
        group.add(SmoothRoundedRectangle(pos=box[:2], size=box[2:], radius=[dp(5)]))
        group.add(Color(*theme.rgba(ink, alpha)))
        at = (round(box.x + pad), round(box.y + pad / 2))
        group.add(Rectangle(texture=texture, pos=at, size=texture.size))
        return written

    def _chip_texture(self, name: str) -> Texture:
        """Return `name` in white, to be tinted later. It is cached, because few names recur often."""
        size = round(max(dp(11), self.width * 0.017))
        key = (name, size)
        if key not in self._chips:
            label = CoreLabel(text=name, font_name=SIGN_FONT, font_size=size, bold=False)
            label.refresh()
            if len(self._chips) > 500:
                self._chips.clear()
            self._chips[key] = label.texture
        return self._chips[key]


def place_chip(
    corners: Sequence[tuple[float, float]], width: float, height: float, taken: Sequence[Box]
) -> Box | None:
    """Return the box for a name of `width` x `height`: on its card, else beside it, clear of `taken`.

    Returns None if there is no such place.
    """
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    across = (max(xs) - min(xs) + width) / 2
    # Also clear of a name on a neighbouring card that is smaller than its name.
    up = max((max(ys) - min(ys) + height) / 2, height)
    offsets = ((0, 0), (0, up), (0, -up), (across, 0), (-across, 0), (across, up), (-across, -up))
    boxes = [Box(x + dx - width / 2, y + dy - height / 2, width, height) for dx, dy in offsets]
    return next((box for box in boxes if not any(overlap(box, other) for other in taken)), None)
