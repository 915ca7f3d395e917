"""Run as a program: an evening of up to twelve games by touch, killed where it is told to be.

Usage: drive_evening.py STORE GAMES [GAME STAGE]. It goes on where the store says that the evening stands. At
a stage (`played`, `out` or `over`; of a game that is played out `half` or `over`) of a game (from 0) it kills
itself as `kill -9` would. At the end of the evening it prints one JSON line: what the ledger says.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from companion.app.window import prepare_kivy
from companion.store.store import Store
from engine.cards import SUIT_OF
from tests.e2e.windows.walker import Steps, Walker, by_touch, draw_rarely, rest, until
from tests.support.planned_evening import EVENING, Planned
from tests.support.touched import Touch, rank, touches


def evening(walker: Walker, games: int, stop_at: tuple[int, str] | None) -> Steps:
    """Play every game that is left; the stages of one are what is done in it by touch."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(2)
    with Store.open(walker.store) as store:
        done = sum(game.finished is not None for game in store.games())
    for number in range(done, games):
        game = EVENING[number]
        form = walker.screen
        if form.broken_text:
            yield from walker.tap(form.ids.broken.ids.button, steps=1)
        else:
            yield from fill_in(walker, game)
            yield from walker.tap(form.ids.start, steps=1)
        yield from until(
            lambda: walker.app.session is not None and walker.app.session.snapshot.table is not None
        )
        yield from rest(2)
        stages = play(walker, game) if game.seed is None else play_out(walker, game)
        for stage in stages:
            if stage is not None and stop_at == (number, stage):
                os.kill(os.getpid(), signal.SIGKILL)
            yield
        yield from until(lambda: walker.screen.over)
        yield from walker.tap(walker.screen.ids.pause, steps=1)
        yield from until(lambda: hasattr(walker.screen, "broken_text"))
        yield from rest(2)
    yield from walker.go("ledger")
    walker.look("ledger")


def fill_in(walker: Walker, game: Planned) -> Steps:
    """Seat who plays, and choose by which rules and who deals."""
    form = walker.screen
    while len(form.rows) > game.seats:
        yield from walker.tap(form.rows[-1].ids.leave, steps=2)
    while len(form.rows) < game.seats:
        yield from walker.tap(form.ids.add, steps=2)
        yield from walker.write(form.rows[-1].ids.name, game.players[len(form.rows) - 1])
    yield from walker.tap(next(chip for chip in form.ids.rules.children if chip.rules == game.rules), steps=2)
    dealer = next((row for row in form.rows if row.name == game.dealer), None)
    if dealer is not None and not dealer.deals:
        yield from walker.tap(dealer.ids.dealer, steps=2)
    assert form.chosen().players == game.players


def play(walker: Walker, game: Planned) -> Iterator[str | None]:
    """Go on with a game: a card is played, then everybody but the loser is said to be out."""
    acts = [Touch("Ann", "play", ("4",))]
    acts += [Touch(player, "out") for player in game.players if player != game.loser]
    for at in range(entered_before(walker), len(acts)):
        yield from enter(walker, acts[at])
        yield "played" if at == 0 else "out" if at < len(acts) - 1 else "over"


def play_out(walker: Walker, game: Planned) -> Iterator[str | None]:
    """Go on with a game that is played to its end, every act of it entered as it truly was."""
    acts = list(touches(game.truth(), str if game.suits else rank))
    seen = [at for at, act in enumerate(acts) if act.button != "answer"]
    half = seen[len(seen) // 2]
    before = entered_before(walker)
    for at in range(seen[before] if before else 0, len(acts)):
        yield from enter(walker, acts[at])
        if at + 1 == half:
            yield "half"
    yield "over"


def entered_before(walker: Walker) -> int:
    """Return how many events had been entered when the game was broken off; an answer is none of its own."""
    return sum(line.get("by") == "hand" for line in walker.app.session.snapshot.lines)


def enter(walker: Walker, touch: Touch) -> Steps:
    """Open a player's sheet, tap cards and button; wait for the referee and for the sheet to be gone."""
    session = walker.app.session
    yield from walker.tap(walker.screen.ids.players.cells[touch.player], steps=2)
    sheet, before = walker.screen.player_sheet, session.snapshot.lines
    for card in touch.cards:
        suit = SUIT_OF[card]
        for key in (card.removesuffix(suit), suit) if suit else (card,):
            yield from walker.tap(sheet.pad.keys[key], steps=0)
    if touch.source != "hand":
        yield from walker.tap(sheet.sources[touch.source], steps=0)
    for _ in range(2 if touch.button == "out" else 1):  # that a player is out is asked for twice
        yield from walker.tap(sheet.buttons[touch.button], steps=1)
    yield from until(lambda: session.snapshot.lines != before)
    yield from until(lambda: sheet.parent is None)


def main() -> None:
    store = Path(sys.argv[1])
    games = int(sys.argv[2])
    stop_at = (int(sys.argv[3]), sys.argv[4]) if len(sys.argv) > 3 else None
    prepare_kivy()
    draw_rarely()
    walker = Walker((360, 640), store, None, None)
    print(json.dumps(walker.run(lambda walker: evening(walker, games, stop_at), every_s=0.0)))


if __name__ == "__main__":
    main()
