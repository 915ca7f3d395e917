"""The last seconds before a ruling, shown again with the cards outlined."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.core.window import Window
from kivy.graphics import Color, Line
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion import theme
from companion.app.android_folders import write_shared
from companion.app.screens.event_sheet import texture_of
from companion.game.clips import Clip, save_clip
from companion.game.sharing import films_folder
from companion.i18n.catalogue import _
from companion.i18n.messages import error_text
from companion.i18n.wording import short_path
from engine.errors import BadInputError
from engine.files.atomic import make_folder


class ClipView(ModalView):
    """Plays a clip once, then stands at its last frame. Taps play it once more, or keep it as a film."""

    texture = ObjectProperty(None, allownone=True)
    caption = StringProperty("")
    frame = NumericProperty(-1)
    """Number of the frame on screen."""
    done = BooleanProperty(False)
    kept = BooleanProperty(False)
    """Whether the film is on the disk."""

    def __init__(self, clip: Clip, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.clip = clip
        if not clip.table:
            self.ids.bar.remove_widget(self.ids.keep)
        self.caption = _("The last seconds before the ruling")
        self._began = 0.0
        self._tick = Clock.schedule_interval(self._advance, 1 / 30)
        self.size = Window.size
        Window.bind(size=self._resize)
        self.bind(on_dismiss=self._stop)
        self.ids.picture.bind(pos=self._outline, size=self._outline, norm_image_size=self._outline)
        self.play()

    def play(self) -> None:
        """Show the clip from its first frame."""
        self._began, self.done = time.monotonic(), False
        self._show(0)

    def keep(self) -> None:
        """Write the clip to the user's films, without what is outside the table, and say where."""
        write_shared(self._write, lambda line: setattr(self, "caption", line))

    def _write(self) -> None:
        path = films_folder() / time.strftime(f"shithead-%Y%m%d-%H%M%S-{self.clip.event}.mp4")
        try:
            make_folder(path.parent)
            save_clip(self.clip, path)
        except (BadInputError, OSError) as error:
            self.caption = error_text(error)
            return
        self.kept = True
        self.caption = _("Saved as {path}").format(path=short_path(path))

    def _advance(self, _dt: float) -> None:
        frames = self.clip.frames
        now = frames[0][0] + time.monotonic() - self._began
        reached = sum(t <= now for t, _jpeg in frames) - 1
        self._show(max(0, reached))
        self.done = self.frame == len(frames) - 1

    def _show(self, number: int) -> None:
        if number != self.frame:
            self.frame = number
            self.texture = texture_of(self.clip.frames[number][1])

    def _outline(self, *_args: object) -> None:
        """Draw the outlines of the event's cards over the picture."""
        picture = self.ids.picture
        width, height = picture.norm_image_size
        left, top = picture.center_x - width / 2, picture.center_y + height / 2
        picture.canvas.after.clear()
        with picture.canvas.after:
            Color(*theme.rgba(theme.BRASS))
            for _card, corners in self.clip.outlines:
                points = [value for x, y in corners for value in (left + x * width, top - y * height)]
                Line(points=points, close=True, width=2)

    def _resize(self, *_args: object) -> None:
        self.size = Window.size

    def _stop(self, *_args: object) -> None:
        self._tick.cancel()
        Window.unbind(size=self._resize)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
