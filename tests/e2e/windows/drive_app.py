"""Run as a program: walks through the screens of the real window by touch, and prints what it saw.

Usage: drive_app.py SCENARIO WIDTH HEIGHT STORE [PICTURES]. The store is a file that the test has filled; with
a folder for pictures, every screen is photographed there, with SHITHEAD_SCREENS_IN in that language. The
answer is one JSON line on stdout.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import tests.e2e.windows.as_phone  # noqa: F401 - before the app, from which it may hide something
from companion.app.screens.arrangement import overlap
from companion.app.window import prepare_kivy
from companion.cli.app import choose_setup
from companion.cli.main import build_parser
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.settings import Settings, load_settings
from companion.sources import cameras
from tests.e2e.windows.breach_scenarios import breached, clipped, film_consequences, moved_under_a_finger
from tests.e2e.windows.evening_scenario import evening
from tests.e2e.windows.film_scenarios import film_kept
from tests.e2e.windows.filmed_scenario import filmed
from tests.e2e.windows.join_scenario import joined
from tests.e2e.windows.key_scenarios import keyed, scrolled_over_a_seat
from tests.e2e.windows.measuring import box_of
from tests.e2e.windows.name_scenarios import foreign_names
from tests.e2e.windows.phone_scenarios import phoned
from tests.e2e.windows.places_scenarios import joined_late, places, shown_where
from tests.e2e.windows.pressed import pressed
from tests.e2e.windows.refusal_scenario import refused_files
from tests.e2e.windows.scenarios import (
    demonstration,
    enrolled,
    house_options,
    kept,
    next_deal,
    replayed,
    seats,
)
from tests.e2e.windows.songs_scenario import sung
from tests.e2e.windows.source_scenarios import (
    differing_rules,
    house_rules_made,
    known_players,
    resumed_without_camera,
    typed_sources,
    which_rules,
)
from tests.e2e.windows.tap_scenario import counted_taps
from tests.e2e.windows.tour_scenarios import film_behind_tour, tour
from tests.e2e.windows.turning import turned
from tests.e2e.windows.walker import (
    PLAYERS,
    TICKS_A_SECOND,
    Steps,
    Walker,
    by_touch,
    draw_rarely,
    rest,
    started,
    tick_at_most,
    until,
)
from tests.e2e.windows.worded import worded
from tests.support.scripted import ILLEGAL, ScriptedSession


def screens(walker: Walker) -> Steps:
    """Every screen of the navigation in mid-game, and what opens from it."""
    session = ScriptedSession()
    walker.app.play(session, GameSetup(source="0", players=PLAYERS))
    yield
    yield from rest(4)
    walker.look("table")
    yield from several_breaches(walker, session)
    yield from walker.tap(walker.screen.ids.players.cells["Cat"])
    sheet = walker.screen.player_sheet
    yield from walker.tap(sheet.pad.keys["S"])
    walker.saw["a suit first"] = walker.texts()
    yield from walker.tap(sheet.pad.keys["9"])
    yield from walker.tap(sheet.pad.keys["S"])
    yield from walker.tap(sheet.pad.keys["9"])
    walker.look("player")
    yield from walker.tap(sheet.buttons["play"])
    walker.saw["entered play"] = session.asked[-1]
    yield from rest(6)
    for name in ("pick_up", "burn", "exchange", "show Dan", "was"):
        yield from walker.tap(walker.screen.ids.players.cells["Cat"])
        yield from walker.tap(walker.screen.player_sheet.buttons[name])
        walker.saw[f"entered {name}"] = session.asked[-1]
        yield from rest(6)
    yield from walker.tap(walker.screen.ids.large)
    yield from rest(3)
    walker.look("large")
    large = walker.screen.large
    walker.saw["large type"] = {name: large.ids[name].font_size for name in ("who", "need", "word", "says")}
    lines = session.snapshot.lines
    session.show(lines=())
    yield from rest(3)
    walker.saw["large undone"] = walker.texts()
    breach = {"says": "Whoever shows a three must say to whom, and nobody has said it. " * 8}
    session.show(lines=({**lines[-1], "ruling": {"verdict": "illegal", "breaches": [breach]}},))
    yield from rest(3)
    says = large.ids.says
    walker.saw["large with a long ruling"] = [says.font_size, "…" in says.text, large.ids.scroll.do_scroll_y]
    large.ids.scroll.scroll_y = 0
    yield from rest(3)
    walker.saw["large scrolled to"] = says.to_window(*says.pos)[1]
    session.show(lines=lines)
    yield from rest(3)
    yield from walker.tap(large)
    yield from rest(6)
    walker.saw["large closed"] = walker.screen.large is None
    yield from log(walker, session)
    yield from rules(walker)
    yield from walker.go("ledger")
    walker.look("ledger-empty")
    yield from walker.go("deck")
    walker.look("deck")
    yield from walker.go("more")
    walker.look("more")
    walker.screen.ids.scroll.scroll_y = 0
    yield from rest(3)
    walker.look("more data")
    yield from walker.tap(walker.screen.buttons["about"])
    yield from rest(4)
    walker.look("about")
    yield from walker.tap(walker.screen.about.ids.close)
    yield from rest(6)
    yield from walker.go("table")
    walker.look("table again")


def several_breaches(walker: Walker, session: ScriptedSession) -> Steps:
    """One play breaks three rules. The reasons are read first, whatever the quotation needs."""
    lines = session.snapshot.lines
    breach = ILLEGAL["breaches"][0]
    session.show(lines=({**lines[-1], "ruling": {**ILLEGAL, "breaches": [breach] * 3}},))
    yield from rest(4)
    texts = walker.screen.ids.banner.ids
    walker.saw["reasons and quotation"] = [texts.says.font_size, texts.quote.font_size]
    walker.look("three breaches")
    session.show(lines=lines)
    yield from rest(4)


def log(walker: Walker, session: ScriptedSession) -> Steps:
    yield from walker.go("log")
    walker.look("log")
    yield from walker.tap_row(3)
    walker.look("correct from the log")
    yield from walker.tap(walker.screen.correcting.choices["8S"])
    walker.saw["two taps in the log"] = session.asked[-1]
    yield from walker.tap(walker.screen.correcting.ids.close)
    yield from rest(6)
    yield from walker.tap(walker.screen.chips["illegal"])
    walker.look("log-illegal")
    walker.saw["illegal rows"] = [row["event_id"] for row in walker.screen.rows.data]
    yield from walker.tap_row(8)
    yield from rest(6)
    walker.look("correct")
    yield from walker.tap(walker.screen.correcting.ids.look)
    yield from rest(6)
    walker.look("event")
    sheet = walker.screen.sheet
    yield from walker.tap(sheet.ids.keep)
    yield from rest(3)
    from companion.game.sharing import pictures_folder

    walker.saw["kept pictures"] = [path.name for path in pictures_folder().glob("*.jpg")]
    yield from rest(6)
    yield from walker.tap_row(8)
    yield from walker.tap(walker.screen.correcting.ids.look)
    yield from rest(6)
    yield from walker.tap(walker.screen.sheet.ids.correct)
    yield from rest(6)
    yield from walker.tap(walker.screen.correcting.choices["8S"])
    walker.saw["corrected"] = session.asked[-1]
    yield from rest(6)


def rules(walker: Walker) -> Steps:
    from companion.app.screens.rules import RuleEntry, RulesScreen

    screen = RulesScreen(walker.app)
    walker.saw["rules listed at once"] = sum(
        isinstance(child, RuleEntry) for child in screen.ids.content.children
    )
    yield from walker.go("rules")
    yield from until(lambda: walker.screen.is_complete)
    yield from rest(3)  # the last texts are yet to be fitted into their places
    walker.look("rules")
    yield from walker.write(walker.screen.search, "library")
    yield from rest(8)
    walker.look("rules-found")
    yield from walker.write(walker.screen.search, "zeppelin")
    yield from rest(8)
    walker.saw["rules nothing"] = walker.texts()
    yield from walker.write(walker.screen.search, "")
    yield from rest(8)
    yield from walker.tap(walker.screen.ask)
    yield from rest(3)
    pad = walker.screen.sheet.ids.pad
    yield from walker.tap(pad.keys["K"])
    yield from rest(2)
    walker.look("ask")
    yield from walker.tap(pad.keys["K"])
    yield from rest(2)
    walker.saw["ask two"] = walker.texts()
    yield from walker.tap(walker.screen.sheet.ids.close)
    yield from rest(6)


def entered(walker: Walker, button: str) -> Steps:
    """Tap a button of the sheet that is open; wait for the referee's ruling and for the sheet to be gone."""
    session, sheet = walker.app.session, walker.screen.player_sheet
    known = {line["id"] for line in session.snapshot.lines}
    for _ in range(2 if button == "out" else 1):  # that a player is out is asked for twice
        yield from walker.tap(sheet.buttons[button])
    yield from until(lambda: {line["id"] for line in session.snapshot.lines} > known)
    yield from until(lambda: sheet.parent is None)
    yield from rest(4)


def not_over(walker: Walker) -> Steps:
    """The game is over by the referee's count; in the log somebody says that it is not."""
    session = walker.app.session
    over = next(line for line in session.snapshot.lines if line["event"] == "game_over")
    yield from walker.go("log")
    yield from walker.tap_row(over["id"])
    yield from rest(6)
    walker.look("correct-over")
    yield from walker.tap(walker.screen.correcting.ids.strike)
    yield from until(lambda: session.snapshot.table.loser is None)
    yield from rest(6)
    walker.saw["after denial"] = [line["event"] for line in session.snapshot.lines][-1]
    yield from walker.go("table")
    yield from rest(4)


def score(walker: Walker) -> Steps:
    """A game without a camera: started on the form, played by touch, an illegal card, an undo, to its end."""
    yield from started(walker)
    walker.look("score-start")
    yield from walker.tap(walker.screen.ids.large)
    yield from rest(3)
    walker.look("score-large")
    yield from walker.tap(walker.screen.large)
    yield from rest(6)
    session = walker.app.session
    for player, key in (("Ann", "4"), ("Bob", "9"), ("Cat", "6")):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        yield from walker.tap(walker.screen.player_sheet.pad.keys[key])
        yield from entered(walker, "play")
    yield from rest(4)
    said, button = walker.screen.ids.toast, walker.screen.ids.next
    walker.saw["said beside the button"] = [bool(said.opacity), overlap(box_of(said), box_of(button))]
    walker.look("score-said")
    yield from walker.unsaid()
    walker.look("score-illegal")
    walker.saw["verdicts"] = [
        line["ruling"]["verdict"] for line in session.snapshot.lines if line.get("ruling")
    ]
    lines = session.snapshot.lines
    yield from walker.tap(walker.screen.ids.undo)
    yield from until(lambda: session.snapshot.lines != lines)
    walker.saw["after undo"] = list(session.snapshot.table.pile)
    yield from rest(4)
    yield from walker.tap(walker.screen.ids.next)
    yield from entered(walker, "pick_up")
    table = session.snapshot.table
    walker.saw["after pick-up"] = [table.turn, table.hands["Cat"].size]
    for player in ("Ann", "Bob", "Cat"):
        yield from walker.tap(walker.screen.ids.players.cells[player])
        yield from entered(walker, "out")
    yield from until(lambda: session.snapshot.table.loser is not None and walker.screen.over)
    yield from rest(4)
    yield from not_over(walker)
    yield from walker.tap(walker.screen.ids.players.cells["Cat"])
    yield from entered(walker, "out")
    yield from until(lambda: session.snapshot.table.loser is not None and walker.screen.over)
    yield from rest(4)
    yield from walker.unsaid()
    walker.look("score-over")
    walker.saw["loser"] = session.snapshot.table.loser
    yield from walker.tap(walker.screen.ids.pause)
    yield from until(lambda: hasattr(walker.screen, "chosen"))
    yield from rest(4)
    walker.look("next-game")
    walker.saw["next dealer"] = walker.screen.chosen().dealer
    yield from walker.tap(walker.screen.ids.start)
    yield from until(lambda: walker.app.session is not None and walker.app.session.snapshot.table is not None)
    table = walker.app.session.snapshot.table
    walker.saw["after two taps"] = [table.players, table.dealer, table.loser]


def broken(walker: Walker) -> Steps:
    """The app is opened anew, without a camera, after a game was broken off: one tap goes on with it."""
    cameras.find_camera = lambda: None
    setup, settled = choose_setup(build_parser().parse_args(["app", "--store", str(walker.store)]))
    (walker.app.start_game if settled else walker.app.ask)(setup)
    yield
    yield from rest(3)
    walker.look("broken")
    yield from walker.go("log")
    yield from walker.tap_row(1)
    yield from rest(6)
    walker.look("event of a game that is not played")
    yield from walker.tap(walker.screen.sheet.ids.close)
    yield from rest(6)
    yield from walker.go("table")
    yield from walker.tap(walker.screen.ids.broken.ids.button)
    while walker.app.session is None or not walker.app.session.snapshot.lines:
        yield
    yield from rest(4)
    walker.look("resumed")
    table = walker.app.session.snapshot.table
    walker.saw["pile"], walker.saw["turn"] = list(table.pile), table.turn


def start(walker: Walker) -> Steps:
    """The window of a session that begins at once; nothing else."""
    walker.app.play(make_session(by_touch(walker)))
    yield
    yield from rest(3)
    walker.look("table")


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (
        tour,
        seats,
        screens,
        filmed,
        film_kept,
        house_options,
        replayed,
        enrolled,
        evening,
        sung,
        kept,
        refused_files,
        demonstration,
        next_deal,
        score,
        places,
        shown_where,
        joined_late,
        phoned,
        joined,
        broken,
        start,
        pressed,
        turned,
        worded,
        typed_sources,
        known_players,
        film_behind_tour,
        differing_rules,
        which_rules,
        house_rules_made,
        foreign_names,
        resumed_without_camera,
        keyed,
        breached,
        counted_taps,
        clipped,
        film_consequences,
        moved_under_a_finger,
        scrolled_over_a_seat,
    )
}
CONTRASTING = {"screens", "score", "sung", "worded"}
"""Scenarios whose tests ask which texts are too faint to read. To find that takes longer than to walk on."""


def main() -> None:
    name, width, height, store = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    pictures = Path(sys.argv[5]) if len(sys.argv) > 5 else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    prepare_kivy()
    tick_at_most(TICKS_A_SECOND)
    draw_rarely(smooth=pictures is not None)
    settings = load_settings() if name in ("tour", "film_behind_tour", "evening", "turned") else None
    language = os.environ.get("SHITHEAD_SCREENS_IN")
    if name in ("evening", "worded"):
        settings = Settings(toured=True, language="en")
    elif language is not None:
        settings = replace(settings or Settings(toured=True), language=language)
    walker = Walker((width, height), store, pictures, settings)
    walker.contrast = name in CONTRASTING
    print(json.dumps(walker.run(SCENARIOS[name])))


if __name__ == "__main__":
    main()
