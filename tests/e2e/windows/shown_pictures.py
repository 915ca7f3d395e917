"""Counts what a window truly draws: Kivy's loop turns without drawing where nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class ShownPictures:
    """A picture counts once it has been put on the screen and the screen was drawn after that."""

    def __init__(self) -> None:
        self.pictures = self.draws = 0
        self._waiting = False

    def put(self, show: Callable[..., None]) -> Callable[..., None]:
        """Return `show`, which puts a new picture on the screen, so that its pictures are counted."""

        def counted(*picture: Any) -> None:
            show(*picture)
            self._waiting = True

        return counted

    def drawn(self, _window: object) -> None:
        """Note that the window was drawn: to be bound to its `on_flip`."""
        self.draws += 1
        self.pictures += self._waiting
        self._waiting = False

    def per_second(self, seconds: float) -> dict[str, float]:
        """Return pictures that were newly shown, and drawings of the window, a second."""
        return {
            "pictures_shown_per_second": self.pictures / seconds,
            "draws_per_second": self.draws / seconds,
        }
