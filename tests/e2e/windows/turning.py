"""A scenario of `drive_app.py`: every screen and every sheet is turned on its side and back while open."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from companion.app.screens.arrangement import Box, overlap
from companion.game.setup import GameSetup
from tests.e2e.windows.walker import Steps, Walker, by_touch, rest, scrolls
from tests.support.scripted import LINES, PLAYERS, ScriptedSession, ruling
from vision.questions import UNREAD_CARD, format_question

EDGE = 1.0
"""Pixels by which rounding may be off."""


def turned(walker: Walker) -> Steps:
    """Everything there is to see, with something chosen, typed or scrolled to in each."""
    walker.saw["turned"] = {}
    yield from before_the_game(walker)
    session = ScriptedSession()
    walker.app.play(session, GameSetup(source="0", players=PLAYERS, kept=False))
    yield from rest(4)
    yield from table(walker, session)
    yield from log(walker)
    yield from pages(walker)


def turn(walker: Walker, name: str, state: Callable[[], Any]) -> Steps:
    """Turn the window on its side and back; note what is chosen each time, and how everything lies."""
    from kivy.core.window import Window

    upright = tuple(Window.size)
    states = [state()]
    for size in (upright[::-1], upright):
        Window.size = size
        yield from rest(5)
        at = f"{name} {size[0]}x{size[1]}"
        states.append(state())
        walker.look(at)
        walker.saw["turned"][at] = {"states": states[:1] + states[-1:], "misplaced": misplaced()}


def misplaced() -> list[str]:
    """Return texts and targets that lie outside the window, and targets that lie over each other."""
    from kivy.core.window import Window
    from kivy.uix.behaviors import ButtonBehavior
    from kivy.uix.label import Label
    from kivy.uix.textinput import TextInput

    from companion.app.screens.widgets import CardTile

    found = []
    for top in Window.children:
        boxes = []
        for widget in top.walk():
            if not (widget.opacity and min(widget.size) > 1) or scrolls(widget):
                continue
            touched = isinstance(widget, ButtonBehavior | TextInput)
            if not touched and not (isinstance(widget, Label) and widget.text):
                continue
            box = Box(*widget.to_window(*widget.pos), *widget.size)
            what = f"{type(widget).__name__} {getattr(widget, 'text', '')}"
            if touched and not (isinstance(widget, CardTile) and widget.disabled):  # the pile lies fanned
                boxes.append((what, box))
            inside = min(box.x, box.y) >= -EDGE and box.x + box.width <= Window.width + EDGE
            if not inside or box.y + box.height > Window.height + EDGE:
                found.append(f"outside: {what} {box}")
        for (one, a), (other, b) in itertools.combinations(boxes, 2):
            if overlap(Box(a.x + EDGE, a.y + EDGE, a.width - 2 * EDGE, a.height - 2 * EDGE), b):
                found.append(f"overlapping: {one}, {other}")
    return found


def before_the_game(walker: Walker) -> Steps:
    """The first steps, and the form with a player who is being named, a ruleset and an option."""
    from kivy.core.window import Window

    walker.app.ask(by_touch(walker))
    yield
    yield from rest(2)
    tour = next(child for child in Window.children if type(child).__name__ == "Tour")
    yield from turn(walker, "tour", lambda: [tour.heading, tour.body])
    yield from walker.tap(tour.table.ids.pause)
    yield from rest(6)
    form = walker.screen
    yield from walker.tap(form.ids.add)
    yield from walker.write(form.rows[-1].ids.name, "Eve")
    yield from walker.tap(next(chip for chip in form.ids.rules.children if chip.rules == "jokers"))
    yield from walker.tap(form.ids.options.children[-1])
    form.ids.scroll.scroll_y = 0.5

    def filled_in() -> list[Any]:
        chosen = form.chosen()
        return [
            chosen.players,
            chosen.dealer,
            chosen.rules,
            chosen.options,
            round(form.ids.scroll.scroll_y, 2),
        ]

    yield from turn(walker, "tonight", filled_in)


def table(walker: Walker, session: ScriptedSession) -> Steps:
    """The table, also with a question; what opens from it: a player's sheet, a correction, the large view."""
    screen = walker.screen
    yield from turn(walker, "table", lambda: [screen.ids.banner.says, screen.ids.turn.who])
    yield from walker.tap(screen.ids.players.cells["Cat"])
    sheet = screen.player_sheet
    for key in ("9", "S", "9"):
        yield from walker.tap(sheet.pad.keys[key])
    yield from walker.tap(sheet.sources["hand+up"])
    yield from turn(walker, "player", lambda: [list(sheet.pad.cards), sheet.source, sheet.parent is not None])
    yield from walker.tap(sheet.buttons["close"])
    yield from rest(6)
    yield from walker.tap(screen.ids.banner)
    correct = screen.sheet
    yield from walker.tap(correct.ids.add)
    yield from turn(walker, "correct", lambda: [correct.adding, correct.heading, correct.parent is not None])
    yield from walker.tap(correct.ids.close)
    yield from rest(6)
    yield from walker.tap(screen.ids.large)
    yield from rest(3)
    yield from turn(
        walker, "large", lambda: [screen.large.ids.who.full_text, screen.large.ids.says.full_text]
    )
    yield from walker.tap(screen.large)
    yield from rest(6)
    session.show(
        lines=(
            {"id": 1, "event": "play", "player": "Ann", "cards": ["??"], "t": 1, "ruling": ruling("legal")},
            {
                "id": 2,
                "event": "unclear",
                "player": "Ann",
                "t": 2,
                "says": format_question(UNREAD_CARD, "Ann"),
            }
            | {"concerns": 1, "cards": ["10H", "10D"]},
        )
    )
    yield from rest(3)
    yield from turn(walker, "question", lambda: [screen.ids.question.asks, *screen.ids.question.chips])
    session.show(lines=LINES)
    yield from rest(3)


def log(walker: Walker) -> Steps:
    """The log filtered, one of its events, and the evening gone through."""
    yield from walker.go("log")
    screen = walker.screen
    yield from walker.tap(screen.chips["illegal"])
    yield from turn(walker, "log", lambda: [screen.filter, [row["event_id"] for row in screen.rows.data]])
    screen.open_event(8)
    yield from rest(6)
    event = screen.sheet
    yield from turn(walker, "event", lambda: [event.heading, event.quote, event.parent is not None])
    yield from walker.tap(event.ids.close)
    yield from rest(6)
    yield from walker.tap(screen.step_through)
    yield from rest(4)
    replay = screen.replay
    yield from walker.tap(replay.ids.on)
    yield from turn(walker, "replay", lambda: [replay.heading, replay.what, replay.step])
    yield from walker.tap(replay.ids.close)
    yield from rest(6)


def pages(walker: Walker) -> Steps:
    """The rules searched and asked, the ledger, a deck being named, and what else there is."""
    yield from walker.go("rules")
    rules = walker.screen
    yield from walker.write(rules.search, "pile")
    yield from rest(8)
    rules.ids.scroll.scroll_y = 0.5
    yield from turn(walker, "rules", lambda: [rules.search.text, round(rules.ids.scroll.scroll_y, 2)])
    yield from walker.tap(rules.ask)
    yield from rest(3)
    ask = rules.sheet
    yield from walker.tap(ask.ids.pad.keys["K"])
    yield from turn(walker, "ask", lambda: [list(ask.cards), ask.says, ask.parent is not None])
    yield from walker.tap(ask.ids.close)
    yield from rest(6)
    yield from walker.go("ledger")
    ledger = walker.screen
    yield from walker.tap(ledger.chips["all"])
    yield from turn(walker, "ledger", lambda: [name for name, chip in ledger.chips.items() if chip.on])
    yield from walker.go("deck")
    deck = walker.screen
    yield from walker.write(deck.name_field, "pub")
    yield from turn(walker, "deck", lambda: deck.name_field.text)
    yield from walker.go("more")
    more = walker.screen
    yield from walker.tap(more.switches["speak"])
    more.ids.scroll.scroll_y = 0.3
    yield from turn(walker, "more", lambda: [more.switches["speak"].on, round(more.ids.scroll.scroll_y, 2)])
