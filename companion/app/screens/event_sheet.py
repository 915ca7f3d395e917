"""One event of the log: its picture, its ruling, and the rule's sentence."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from kivy.core.image import Image as CoreImage
from kivy.core.window import Window
from kivy.graphics.texture import Texture
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.modalview import ModalView

from companion import theme
from companion.game.interface import EventLine
from companion.game.ruling_views import ruling_of, ruling_text, verdict_of
from companion.i18n.catalogue import _
from companion.i18n.events import event_text
from companion.i18n.wording import clock_text


class EventSheet(ModalView):
    """Shows one event. Buttons correct it, save its picture, show its last seconds or undo all after it."""

    heading = StringProperty("")
    verdict = StringProperty("")
    says = StringProperty("")
    quote = StringProperty("")
    ink = StringProperty(theme.QUIET)
    texture = ObjectProperty(None, allownone=True)
    can_undo_later = BooleanProperty(False)
    """Whether there are later events, which can be undone together."""
    why_not = StringProperty("")
    """Why it cannot be corrected; empty if it can."""

    def __init__(
        self,
        line: EventLine,
        picture_jpeg: bytes | None,
        *,
        on_correct: Callable[[], None] | None,
        on_keep: Callable[[bytes], None],
        on_undo_later: Callable[[], None] | None = None,
        on_show: Callable[[], None] | None = None,
        **kwargs: object,
    ) -> None:
        """Show `line`.

        Args:
            line: The event with its ruling.
            picture_jpeg: The picture; None if there is none.
            on_correct: Opens the sheet that corrects the event; None if the game is not running.
            on_keep: Gets the picture that is to be saved as a file.
            on_undo_later: Undoes every later event; None if there is none.
            on_show: Shows the last seconds before the ruling; None if they are not in memory.
            kwargs: For Kivy.
        """
        super().__init__(**kwargs)
        self.heading = f"{clock_text(float(line.get('t') or 0.0))}  {event_text(line)}"
        ruling = ruling_of(line)
        if ruling is not None:
            name = verdict_of(ruling)
            self.verdict = f"{theme.VERDICT_SIGN[name]} {_(theme.VERDICT_WORD[name])}"
            self.ink = theme.VERDICT_INK[name]
            self.says, self.quote = ruling_text(ruling, line.get("player"))
        else:
            self.says = _("No ruling needed.")
        self._picture_jpeg, self._on_correct, self._on_keep = picture_jpeg, on_correct, on_keep
        self._on_undo_later, self._on_show = on_undo_later, on_show
        if on_show is None:
            self.ids.bar.remove_widget(self.ids.show)
        self.can_undo_later = on_undo_later is not None
        if picture_jpeg is not None:
            self.texture = texture_of(picture_jpeg)
        else:
            self.ids.bar.remove_widget(self.ids.keep)
        if on_correct is None:
            self.why_not = _(
                "This game is not running. To correct an event, continue or reopen the game in the form."
            )
            self.ids.bar.remove_widget(self.ids.correct)
        self._size()
        Window.bind(size=self._size)
        self.bind(on_dismiss=lambda *_args: Window.unbind(size=self._size))

    def correct(self) -> None:
        """Open the sheet that corrects the event."""
        self.dismiss()
        if self._on_correct is not None:
            self._on_correct()

    def undo_later(self) -> None:
        """Undo every later event."""
        self.dismiss()
        if self._on_undo_later is not None:
            self._on_undo_later()

    def show_again(self) -> None:
        """Show the last seconds before the ruling."""
        if self._on_show is not None:
            self._on_show()

    def keep(self) -> None:
        """Save the picture as a file."""
        if self._picture_jpeg is not None:
            self._on_keep(self._picture_jpeg)
        self.dismiss()

    def _size(self, *_args: object) -> None:
        upright = Window.height > Window.width
        share = (0.94, 0.8 if self.texture is not None else 0.5) if upright else (0.72, 0.9)
        self.size = Window.width * share[0], Window.height * share[1]


def texture_of(jpeg: bytes) -> Texture | None:
    """Return a JPEG as a texture."""
    return CoreImage(BytesIO(jpeg), ext="jpg").texture


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
