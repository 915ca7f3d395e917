"""A scenario of `drive_app.py`: every screen and sheet with buttons, in each language and size of type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from companion.app.screens.arrangement import overlap
from companion.game.setup import GameSetup
from tests.e2e.windows.measuring import box_of
from tests.e2e.windows.walker import Steps, Walker, by_touch, rest, until
from tests.e2e.windows.word_plan import LOOKS, TYPE_SCALES
from tests.support.scripted import LINES, PLAYERS, ScriptedSession, Table, ruling
from vision.questions import UNREAD_CARD, format_question

OVER: dict[str, Any] = {"id": 9, "event": "game_over", "player": "Dan", "t": 70}
UNREAD: tuple[dict[str, Any], ...] = (
    {"id": 1, "event": "play", "player": "Ann", "cards": ["??"], "t": 1, "ruling": ruling("legal")},
    {"id": 2, "event": "unclear", "player": "Ann", "t": 2, "says": format_question(UNREAD_CARD, "Ann")}
    | {"concerns": 1, "cards": ["10H", "10D"]},
)


def worded(walker: Walker) -> Steps:
    """Nothing is touched: what opens is opened directly, so that many looks stay quick."""
    from kivy.metrics import Metrics

    walker.app.ask(by_touch(walker))
    yield
    for language, type_scale in TYPE_SCALES:
        Metrics.fontscale = type_scale
        walker.app.set(language=language)
        yield from words(walker, f"{language} {type_scale}")


def words(walker: Walker, which: str) -> Steps:
    app = walker.app
    app.ask(by_touch(walker))
    yield from rest(3)
    look(walker, which, "tonight")
    form = app.screen
    for _ in range(2):
        covered = [
            token.name for token in form.ids.seating.tokens if covers(form.ids.seating.ids.hint, token)
        ]
        walker.saw.setdefault("names over the hint", []).append(covered)
        form.ids.players.remove_widget(form.rows[0])
        form.check()
        yield from rest(3)
    yield from by_hand(walker, which)
    session = ScriptedSession()
    app.play(session, GameSetup(source="0", players=PLAYERS, kept=False))
    yield from rest(3)
    look(walker, which, "table")
    ids = app.screen.ids
    main = {"who": ids.turn.ids.who, "need": ids.turn.ids.need, "says": ids.banner.ids.says}
    walker.saw[f"{which} type"] = {"unit": app.u} | {name: label.font_size for name, label in main.items()}
    session.show(lines=UNREAD)
    yield from rest(3)
    look(walker, which, "question")
    session.show(lines=(*LINES, OVER))
    yield from rest(3)
    table = walker.screen
    opens: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("player", lambda: table.open_player("Cat") or table.player_sheet),
        ("correct", lambda: table.open_event(8) or table.sheet),
        ("correct the end", lambda: table.open_event(9) or table.sheet),
        ("large", lambda: table.enlarge() or table.large),
    )
    for name, opened in opens:
        yield from look_at(walker, which, name, opened)
    yield from pages(walker, which)


def covers(one: Any, other: Any) -> bool:
    return overlap(box_of(one), box_of(other))


def by_hand(walker: Walker, which: str) -> Steps:
    """Without a camera: before anybody's turn, and in mid-game."""
    session = ScriptedSession()
    session.watches = False
    session.show(table=Table(turn=None, pile=(), playable_ranks=()), lines=())
    walker.app.play(session, by_touch(walker))
    yield from rest(3)
    look(walker, which, "who begins")
    session.show(table=Table(), lines=LINES)
    yield from rest(3)
    look(walker, which, "by hand")
    if "toast" in LOOKS[which]:
        yield from toasted(walker, which)


def toasted(walker: Walker, which: str) -> Steps:
    """Note which targets lie under what was just said, and whether it is still there after a touch."""
    from kivy.uix.behaviors import ButtonBehavior

    toast = walker.screen.ids.toast
    toast.say("Rückgängig gemacht: Bartholomew legt 9♠ 9♦", 60.0)
    yield from rest(3)
    look(walker, which, "toast")
    targets = [widget for widget in walker.screen.walk() if isinstance(widget, ButtonBehavior)]
    under = [target for target in targets if min(target.size) > 1 and covers(toast, target)]
    shown = toast.opacity
    yield from walker.tap(walker.screen.ids.turn, steps=1)
    walker.saw[f"{which} under the toast"] = [type(target).__name__ for target in under]
    walker.saw[f"{which} toast was there"] = [shown, toast.opacity]


def pages(walker: Walker, which: str) -> Steps:
    app = walker.app
    app.go("log")
    yield from rest(3)
    look(walker, which, "log")
    log = walker.screen
    yield from look_at(walker, which, "event", lambda: log.open_event(8) or log.sheet)
    yield from look_at(walker, which, "put right", lambda: log.put_right(8) or log.correcting)
    running, app.session = app.session, None
    yield from look_at(walker, which, "event of old", lambda: log.open_event(8) or log.sheet)
    app.session = running
    yield from look_at(walker, which, "replay", lambda: log.open_replay() or log.replay)
    if {"rules", "ask"} & {*LOOKS[which]}:
        app.go("rules")
        yield from rest(3)
        rules = walker.screen
        look(walker, which, "rules")
        yield from look_at(walker, which, "ask", lambda: rules.open_question() or rules.sheet)
    for name in ("ledger", "deck", "more"):
        app.go(name)
        yield from rest(3)
        look(walker, which, name)
        if name == "ledger":
            yield from look_at(walker, which, "songs", partial(songs, walker.screen))
    if "erase" in LOOKS[which]:
        walker.screen.kept.erase()
        walker.screen.ids.scroll.scroll_y = 0
        yield from rest(3)
        look(walker, which, "erase")
    if "tour" in LOOKS[which]:
        tour = walker.screen.take_tour() or walker.screen.tour
        yield from until(lambda: bool(tour.table.ids.players.cells))
        yield from rest(4)
        yield from look_at(walker, which, "tour", lambda: tour)
    app.go("table")


def songs(ledger: Any) -> Any:
    return ledger.open_songs("Bob") or ledger.sheet


def look(walker: Walker, which: str, name: str) -> None:
    if name in LOOKS[which]:
        walker.look(f"{which} {name}")


def look_at(walker: Walker, which: str, name: str, opened: Callable[[], Any]) -> Steps:
    """Look at a sheet, which is opened only if it is to be looked at."""
    if name not in LOOKS[which]:
        return
    sheet = opened()
    yield from rest(3)
    look(walker, which, name)
    sheet.dismiss(animation=False)
    yield from rest(1)
