"""Scenarios of `drive_app.py` about the films of games: kept, and deleted again with one tap."""

from __future__ import annotations

from companion.game.film_keeper import FilmKeeper
from companion.game.setup import GameSetup
from companion.store.kept_films import kept_films_folder, kept_games
from tests.e2e.windows.walker import Steps, Walker, rest, until
from tests.support.filmed_game import Game, chequered
from tests.support.scripted import PLAYERS, ScriptedSession


def film_kept(walker: Walker) -> Steps:
    """*More* says what is filmed and where it lies; the running film and an older one are deleted."""
    folder = kept_films_folder(walker.store)
    session, keeper = ScriptedSession(), FilmKeeper(folder, print)
    session.film_keeper = keeper
    walker.app.play(session, GameSetup(source="0", players=PLAYERS, store=walker.store))
    yield
    yield from rest(4)
    walker.saw["at first"] = keeper.enabled
    yield from walker.go("more")
    yield from walker.tap(walker.screen.switches["keep_film"], steps=6)
    walker.saw["on"] = [keeper.enabled, keeper.whole_picture]
    walker.screen.ids.scroll.scroll_to(walker.screen.switches["keep_film"], animate=False)
    yield from rest(4)
    walker.look("film on")
    yield from walker.tap(walker.screen.switches["keep_film_whole"], steps=6)
    walker.saw["people"] = [keeper.enabled, keeper.whole_picture]
    walker.screen.ids.scroll.scroll_to(walker.screen.switches["keep_film"], animate=False)
    yield from rest(4)
    walker.look("film with people")
    for game in (Game(), Game()):
        game.deal()
        keeper.follow(game, game)
        for t in range(20):
            keeper.add(chequered(), t / 10, live=False)
    yield from until(lambda: keeper.kept is not None and keeper.is_idle)
    yield from walker.go("table")
    yield from walker.go("more")
    running = walker.screen.buttons["running"]
    walker.screen.ids.scroll.scroll_to(running, animate=False)
    yield from rest(4)
    walker.look("films")
    (older,) = kept_games(folder)
    yield from walker.tap(running, steps=6)
    yield from until(lambda: keeper.is_idle)
    walker.saw["after deleting the running one"] = [path == older.folder for path in folder.iterdir()]
    yield from walker.tap(walker.screen.buttons[older.folder.name], steps=6)
    walker.saw["after deleting the older one"] = len([*folder.iterdir()])
    walker.saw["told"] = walker.screen.ids.toast.text
    keeper.close()
