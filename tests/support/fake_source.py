"""What a source of pictures that a test makes up has beside its pictures."""

from __future__ import annotations

from collections.abc import Callable

from vision.capture.sources import tell_nobody


class FakeSource:
    """With pictures to iterate over it is a `FrameSource`; a film unless it says otherwise."""

    name, live, fps = "film", False, 10.0
    seconds: float | None = None

    def __init__(self) -> None:
        self.tell: Callable[[str], None] = tell_nobody
        self.closed = False

    def close(self) -> None:
        self.closed = True
