"""Touches the real window and notes what it shows, for scenarios that are run as programs of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from companion.app.window import make_app
from companion.game.setup import GameSetup
from tests.e2e.windows.measuring import measure, pixels
from tests.e2e.windows.walker import Steps, filmed_setup, reads_by, take_steps
from tests.support.scripted import ScriptedSession


class Driver:
    """Runs a scenario, one step every few frames, on the window's own clock."""

    def __init__(self, width: int, height: int, picture: Path | None) -> None:
        self.session = ScriptedSession()
        self.app = make_app(size=(width, height))
        self.picture = picture
        self.rulings = 6 if picture else 1
        """How many rulings the scenario `film` waits for."""
        self.saw: dict[str, Any] = {}

    def run(self, scenario: Callable[[Driver], Steps], *, plays: bool) -> dict[str, Any]:
        """Walk through a scenario; `plays` shows the scripted game from the start."""
        take_steps(self.app, scenario(self), first_s=0.4, every_s=0.1, done=self.shoot)
        if plays:
            self.app.play(self.session)
        self.app.run()
        return {**self.saw, **reads_by()}

    @property
    def setup(self) -> GameSetup:
        """The polite film's game, kept nowhere."""
        return filmed_setup(kept=False)

    @property
    def ids(self) -> Any:
        return self.app.screen.ids

    def tap(self, widget: Any) -> None:
        """Touch the middle of `widget`, through the window, as a finger would."""
        from kivy.tests.common import UnitTestTouch

        touch = UnitTestTouch(*widget.to_window(*widget.center))
        touch.touch_down()
        touch.touch_up()

    def row(self, event_id: int) -> Any:
        """Return the log's row of an event; it must be in view."""
        rows = self.ids.log.ids.rows.children[0].children
        return next(row for row in rows if row.event_id == event_id)

    def see(self, name: str) -> None:
        """Note what the screen says at the moment."""
        banner, turn = self.ids.banner, self.ids.turn
        self.saw[name] = {
            "asked": list(self.session.asked),
            "banner": [banner.sign, banner.word, banner.what, banner.says, banner.quote],
            "turn": [turn.who, turn.direction, turn.need, turn.counts],
            "playable": sorted(turn.ids.strip.playable),
            "ring": {
                player: [name.words, name.to_play, *name.center]
                for player, name in self.ids.ring.names.items()
            },
            "pile": [tile.card for tile in reversed(turn.ids.pile.children)],
            "names": list(self.ids.live.names),
            "cells": {p: [c.title, c.hand, c.up, c.record] for p, c in self.ids.players.cells.items()},
            "log": [row["title"] for row in self.ids.log.ids.rows.data],
            "details": [row["detail"] for row in self.ids.log.ids.rows.data],
            "question": [self.ids.question.asks, *self.ids.question.chips],
            "phase": self.ids.phase.full_text,
            "toast": self.ids.toast.text if self.ids.toast.opacity else "",
            "pause": self.ids.pause.text,
            "undo_disabled": self.ids.undo.disabled,
            "sheet": self._sheet(),
        }

    def _sheet(self) -> dict[str, Any] | None:
        sheet = self.app.screen.sheet
        if sheet is None or not sheet.parent:
            return None
        players = [chip.text for chip in reversed(sheet.ids.players.children)]
        return {
            "heading": sheet.heading,
            "hint": sheet.hint,
            "ruling": sheet.ruling,
            "cards": [tile.card for tile in reversed(sheet.ids.chosen.children)],
            "players": players,
            "strike": sheet.ids.strike.text,
        }

    def measure(self, name: str) -> None:
        """Note the size of everything that can be touched, and every text that was cut or sticks out."""
        from kivy.core.window import Window

        self.saw[name] = {**measure(), "size": list(Window.size)}

    def shoot(self) -> None:
        """Write what the window shows, if a picture was asked for."""
        if self.picture is None:
            return
        cv2.imwrite(str(self.picture), cv2.cvtColor(pixels()[::-1], cv2.COLOR_RGB2BGR))
