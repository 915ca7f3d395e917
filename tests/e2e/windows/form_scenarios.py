"""Scenarios of `drive_window.py` on the form before the game."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from companion.game.preview import Preview
from companion.game.setup import GameSetup
from companion.store.rows import StoredGame
from tests.e2e.windows.scenarios import Reads, Tables
from tests.e2e.windows.walker import Steps, rest, type_over, until
from tests.e2e.windows.window_driver import Driver
from tests.support.scripted import PLAYERS
from vision.decks.deck import Deck
from vision.decks.deck_files import remove_deck, save_deck


def tonight(driver: Driver) -> Steps:
    """The form before the game: typed into, tapped, started."""
    started: list[GameSetup] = []
    driver.app.make_preview = lambda _source, _deck: Preview(lambda: Tables("0", []), Reads)
    driver.app.ask(GameSetup(source="0", players=("Ann", "Bob"), rules="winnersh"))
    yield
    screen = driver.app.screen
    screen.on_start = started.append
    yield from until(lambda: screen.preview.picture is not None)
    yield
    note = driver.saw.__setitem__
    note("source", screen.source_text)
    screen.ids.scroll.scroll_to(screen.ids.add, animate=False)
    yield from rest(2)
    driver.tap(screen.ids.add)
    yield from rest(4)
    note("unnamed", [screen.fault, screen.ids.start.disabled])
    driver.tap(screen.ids.start)
    yield
    note("refused", len(started))
    yield from name_third(driver, "Bob")
    note("twice", screen.fault)
    yield from name_third(driver, "Cat")
    screen.ids.scroll.scroll_to(screen.rows[1], animate=False)
    yield from rest(2)
    driver.tap(screen.rows[1].ids.dealer)
    yield from rest(4)
    note("dealer", [row.ids.dealer.text for row in screen.rows])
    jokers = next(button for button in screen.ids.rules.children if button.text == "Jokers")
    screen.ids.scroll.scroll_to(jokers, animate=False)
    yield from rest(2)
    driver.tap(jokers)
    yield from rest(4)
    note("options", [toggle.option for toggle in reversed(screen.ids.options.children)])
    screen.ids.scroll.scroll_to(screen.ids.options.children[-1], animate=False)
    yield from rest(2)
    driver.tap(screen.ids.options.children[-1])
    yield from rest(4)
    driver.measure("measures")
    screen.ids.scroll.scroll_y = 1
    yield from rest(2)
    screen.ids.scroll.scroll_to(screen.rows[0], animate=False)
    yield from rest(2)
    driver.tap(screen.rows[0].ids.leave)
    yield from rest(4)
    driver.tap(screen.ids.start)
    yield
    setup = started[0]
    note("choice", [setup.source, setup.rules, setup.options, setup.players, setup.dealer])


def name_third(driver: Driver, name: str) -> Steps:
    """Tap the third player's field and type a name there."""
    screen = driver.app.screen
    field = screen.rows[2].ids.name
    screen.ids.scroll.scroll_to(field, animate=False)
    yield from rest(2)
    driver.tap(field)
    yield from rest(2)
    type_over(field, name)
    yield


def form(driver: Driver) -> Steps:
    """The form in German on a small phone with every option on; a variant that has gone; another camera."""
    from kivy.core.window import Window

    from companion.app.screens.setup import SetupScreen
    from companion.app.screens.widgets import text_height
    from companion.i18n.catalogue import set_language

    Window.size = (360, 640)
    set_language("de")
    gone = GameSetup(source="0", players=PLAYERS, rules="/nowhere/our-house.toml", kept=False)
    driver.app.ask(gone)
    yield
    screen = driver.app.screen
    yield from rest(3)
    driver.saw["gone"] = [screen.fault, ticked(screen)]
    driver.saw["rules"], driver.saw["options"] = {}, []
    for chip in list(screen.ids.rules.children)[1:]:
        screen.choose_rules(chip.rules)
        for toggle in screen.ids.options.children:
            toggle.on = True
        yield from rest(3)
        driver.saw["rules"][chip.rules] = [ticked(screen), screen.summary]
        for toggle in screen.ids.options.children:
            size, room = toggle.font_size, int(toggle.width - 2 * toggle.padding[0])
            height = text_height(toggle.shown, size, room, bold=False, italic=False)
            driver.saw["options"].append([toggle.option, height / size, height <= toggle.height])
    begun: list[GameSetup] = []
    game = StoredGame(
        id=7,
        evening=1,
        started=0.0,
        finished=None,
        rules="winnersh",
        options=(),
        players=PLAYERS,
        dealer=None,
        loser=None,
        source="0",
        deck="its-own",
    )
    own = Deck("its-own", "weights", ("4C", "5C"), np.eye(2, 64, dtype=np.float32))
    save_deck(own)
    again = SetupScreen(replace(gone, deck="of another game"), begun.append, game)
    again.offer_decks()
    again.go_on()
    again.watch("http://127.0.0.1:9/")
    again.go_on()
    driver.saw["through"] = [[setup.resume, setup.source, setup.deck] for setup in begun]
    remove_deck(own.name)
    yield from go_on_without_a_deck(driver, game)


def go_on_without_a_deck(driver: Driver, game: StoredGame) -> Steps:
    """A game whose deck was forgotten goes on: first while no other is enrolled, then with one chosen."""
    from companion.app.screens.setup import SetupScreen

    begun: list[GameSetup] = []
    seen = driver.saw["forgotten"] = []
    for enrolled in ((), ("pub",)):
        for name in enrolled:
            save_deck(Deck(name, "weights", ("4C", "5C"), np.eye(2, 64, dtype=np.float32)))
        fresh = GameSetup(source=None, players=PLAYERS, kept=False)
        form = SetupScreen(fresh, begun.append, replace(game, deck="mine"))
        driver.app.root.show("table", form)
        yield from rest(3)
        driver.measure(f"forgotten {len(seen)}")
        for deck in (None, *enrolled):
            form.take_deck(deck)
            form.ids.scroll.scroll_y = 1
            yield from rest(2)
            driver.tap(form.ids.broken.ids.button)
            yield from rest(2)
            seen.append([form.broken_deck, begun[-1].resume, begun[-1].deck])
    remove_deck("pub")


def ticked(screen: Any) -> list[str]:
    return [chip.label for chip in screen.ids.rules.children if "✓" in chip.text]
