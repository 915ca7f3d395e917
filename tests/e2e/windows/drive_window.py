"""Run as a program: opens the real window on a scripted game, touches everything, prints what it saw.

Usage: drive_window.py SCENARIO WIDTH HEIGHT [PICTURE.png], or with `film` WIDTH HEIGHT FILM [PICTURE.png], or
with `speed` WIDTH HEIGHT FILM SECONDS. A process of its own, because Kivy has one window and one clock per
process. The answer is one JSON line on stdout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import tests.e2e.windows.as_phone  # noqa: F401 - before the app, from which it may hide something
from companion.app.screens.arrangement import overlap
from companion.app.window import prepare_kivy
from companion.game.setup import GameSetup
from companion.game.starting import make_session
from companion.i18n.catalogue import set_language
from companion.sources.cameras import sample_film
from tests.e2e.windows.form_scenarios import form, tonight
from tests.e2e.windows.long_texts import long_texts, player_fields, show_long_texts
from tests.e2e.windows.measuring import box_of, within
from tests.e2e.windows.speed_scenario import speed
from tests.e2e.windows.walker import TICKS_A_SECOND, Steps, draw_rarely, rest, tick_at_most
from tests.e2e.windows.window_driver import Driver
from tests.support.scripted import ILLEGAL, PLAYERS, Table, ruling
from vision.questions import NO_ROWS, TABLE_CHANGED, UNREAD_CARD, format_question

SIZES = ((1280, 720), (400, 860), (860, 400), (1024, 768), (1920, 1080))
SHEET_SIZES = (*SIZES[:3], (360, 640), (640, 360))
"""Between these the sheet that corrects is turned while it is open."""


def look(driver: Driver) -> Steps:
    yield
    driver.see("start")
    from kivy.core.window import Window

    driver.saw["window"] = {"sleeps": Window.allow_screensaver, "keyboard": Window.softinput_mode}
    if driver.picture is None:
        yield from buttons(driver)


def buttons(driver: Driver) -> Steps:
    driver.tap(driver.ids.undo)
    yield
    yield
    driver.see("undone")
    driver.tap(driver.ids.pause)
    yield
    yield
    driver.see("paused")
    driver.tap(driver.ids.pause)
    yield
    yield
    driver.see("going on")


def corrections(driver: Driver) -> Steps:
    yield
    driver.tap(driver.row(8))
    yield
    driver.see("sheet")
    from kivy.core.window import Window

    opened = tuple(Window.size)
    for width, height in (*SHEET_SIZES, opened):
        Window.size = (width, height)
        yield from rest(4)
        driver.measure(f"measures {width}x{height}")
    driver.tap(driver.app.screen.sheet.choices["8S"])
    yield from rest(4)
    driver.see("card")
    driver.tap(driver.row(8))
    yield
    players = driver.app.screen.sheet.ids.players.children
    driver.tap(next(button for button in players if button.text == "Cat"))
    yield from rest(4)
    driver.see("player")
    driver.tap(driver.ids.banner)
    yield
    driver.tap(driver.app.screen.sheet.ids.strike)
    yield from rest(4)
    driver.see("struck")
    driver.tap(driver.row(8))
    yield
    driver.tap(driver.app.screen.sheet.ids.close)
    yield from rest(4)
    driver.see("closed")
    yield from correct_a_set(driver)


def correct_a_set(driver: Driver) -> Steps:
    yield
    driver.app.screen.open_event(3)
    yield
    driver.tap(driver.app.screen.sheet.choices["8S"])
    yield
    driver.see("first")
    driver.tap(driver.app.screen.sheet.choices["8D"])
    yield
    driver.see("second")


def missed_cards(driver: Driver) -> Steps:
    """A card that was missed is added, one that was not there taken away; a long pick-up; a joker."""
    yield
    driver.app.screen.open_event(8)
    yield
    sheet = driver.app.screen.sheet
    driver.tap(sheet.ids.add)
    yield from rest(3)
    driver.see("adding")
    driver.measure("measures")
    driver.tap(sheet.choices["7D"])
    yield from rest(3)
    driver.see("added")
    driver.tap(sheet.ids.take_away)
    yield from rest(3)
    driver.see("taken away")
    driver.tap(sheet.ids.close)
    yield from rest(4)
    heap = [rank + suit for rank in ("2", "3", "4", "5", "6") for suit in "CDHS"]
    line = {"id": 9, "event": "pick_up", "player": "Cat", "cards": heap, "t": 70, "ruling": ruling("legal")}
    driver.session.show(lines=(*driver.session.snapshot.lines, line))
    driver.app.setup = GameSetup(source="0", players=PLAYERS, rules="jokers", options=("jokers",))
    yield from rest(2)
    driver.app.screen.open_event(9)
    yield from rest(3)
    sheet = driver.app.screen.sheet
    driver.measure("many")
    driver.saw["strip"] = [sheet.width, sheet.ids.strip.width, sheet.ids.chosen.width]
    driver.tap(sheet.choices["JOKER"])
    yield from rest(3)
    driver.see("joker")


def states(driver: Driver) -> Steps:
    session = driver.session
    yield
    session.show(phase="failed", says="camera 7: cannot be opened (no such camera or stream)")
    yield
    yield
    driver.see("failed")
    session.show(phase="failed", says="Removed")
    yield from rest(2)
    driver.see("failed and put right")
    asked_for: list[bool] = []
    driver.app.new_game = lambda: asked_for.append(True)
    driver.tap(driver.ids.pause)
    yield
    driver.saw["form"] = len(asked_for)
    session.show(phase="ended", says="The film has ended")
    yield from rest(2)
    driver.see("ended")
    driver.tap(driver.ids.pause)
    yield
    driver.saw["form again"] = len(asked_for)
    session.show(phase="watching", says="", lost=True)
    yield
    yield
    driver.see("lost")
    bare = Table(turn=None, pile=(), playable_ranks=(), up=dict.fromkeys(PLAYERS, ()))
    session.show(lost=False, lines=(), table=bare)
    yield
    yield
    driver.see("empty")
    unproven = ruling("unproven") | {"needs": "whether Dan holds a king or an ace"}
    line = {"id": 9, "event": "pick_up", "player": "Dan", "cards": [], "t": 70, "ruling": unproven}
    session.show(lines=(line,), table=Table(left=("Cat",), loser="Dan", turn=None), phase="ended", says="End")
    yield
    yield
    driver.see("over")


def questions(driver: Driver) -> Steps:
    """A question leads to the event it is about, and so does a breach that was proven late."""
    breach = {**ILLEGAL["breaches"][0], "says": "Ann could have played her king."}
    lines = (
        {"id": 1, "event": "play", "player": "Ann", "cards": ["??"], "t": 1, "ruling": ruling("legal")},
        {"id": 2, "event": "unclear", "player": "Ann", "t": 2, "says": format_question(UNREAD_CARD, "Ann")}
        | {"concerns": 1, "cards": ["10H", "10D"]},
        {"id": 3, "event": "pick_up", "player": "Ann", "cards": ["9S"], "t": 3, "ruling": ruling("legal")},
        {"id": 4, "event": "late_breach", "player": "Ann", "t": 4, "concerns": 3, "breach": breach},
    )
    driver.session.show(lines=lines)
    yield from rest(2)
    driver.see("late")
    driver.tap(driver.row(2))
    yield
    driver.see("question")
    driver.tap(driver.app.screen.sheet.ids.close)
    yield from rest(4)
    driver.tap(driver.row(4))
    yield
    driver.see("concerned")
    driver.tap(driver.app.screen.sheet.ids.close)
    yield from rest(4)
    driver.see("asked")
    driver.measure("measures")
    driver.tap(driver.ids.question.chips["other"])
    yield from rest(2)
    driver.see("another card")
    driver.tap(driver.app.screen.sheet.ids.close)
    yield from rest(4)
    driver.tap(driver.ids.question.chips["10D"])
    yield from rest(2)
    driver.see("answered")
    driver.session.show(lines=({**lines[0], "cards": ["10D"]}, *lines[1:]))
    yield from rest(3)
    driver.see("closed")
    lies = {"id": 9, "event": "unclear", "t": 9, "says": format_question(TABLE_CHANGED)}
    nobody = {"id": 10, "event": "play", "cards": ["9S"], "t": 10, "ruling": ruling("legal")}
    driver.session.show(lines=(lies, nobody))
    yield from rest(3)
    driver.tap(driver.row(9))
    yield from rest(2)
    driver.see("lies")
    driver.tap(driver.app.screen.sheet.ids.close)
    yield from rest(4)
    driver.tap(driver.ids.question.chips["done"])
    yield from rest(2)
    driver.see("done")
    driver.tap(driver.row(10))
    yield from rest(2)
    driver.see("nobody")
    driver.tap(driver.app.screen.sheet.ids.close)
    yield from rest(4)
    yield from questions_at_any_size(driver, lines, nobody)


def questions_at_any_size(driver: Driver, unread: Sequence[dict[str, Any]], nobody: dict[str, Any]) -> Steps:
    """Both kinds of questions, on the smallest phone and on large monitors: what is left of the picture."""
    from kivy.core.window import Window

    rows = {"id": 9, "event": "unclear", "t": 9, "says": format_question(NO_ROWS, found=2, wanted=4)}
    for width, height in ((360, 640), (640, 360), (412, 892), (2560, 1440), (3840, 2160)):
        Window.size = (width, height)
        driver.session.show(lines=(nobody,))
        yield from rest(3)
        free = list(driver.ids.live.size)
        for name, lines in (("card", unread[:2]), ("rows", (rows,))):
            driver.session.show(lines=lines)
            yield from rest(3)
            driver.measure(f"{name} {width}x{height}")
            live, bar = driver.ids.live, driver.ids.question
            apart = live.right <= bar.x + 1 or bar.top <= live.y + 1
            driver.saw[f"{name} {width}x{height}"] |= {
                "free": free,
                "picture": list(live.size),
                "apart": apart,
                "hidden": hidden_answers(bar),
                "edge": list(driver.ids.ring.edge),
            }
        yield from questions_in_german(driver, f"{width}x{height}", {"card": unread[:2], "rows": (rows,)})
        driver.session.show(lines=unread[:2])
        yield from rest(3)
        driver.tap(driver.ids.question.chips["10D"])
        yield from rest(2)
        driver.saw[f"answered {width}x{height}"] = driver.session.asked[-1]
        driver.ids.question.ids.view.scroll_x = 1
        yield from rest(3)
        driver.tap(driver.ids.question.chips["done"])
        yield from rest(2)
        driver.saw[f"done {width}x{height}"] = driver.session.asked[-1]


def questions_in_german(driver: Driver, size: str, asking: dict[str, Sequence[dict[str, Any]]]) -> Steps:
    """The same in German, and while it is said what was just done."""
    set_language("de")
    bar, toast = driver.ids.question, driver.ids.toast
    for name, lines in asking.items():
        driver.session.show(lines=())
        yield from rest(2)
        driver.session.show(lines=lines)
        toast.say("Rückgängig gemacht: Bartholomew legt 9♠ 9♦", 60.0)
        yield from rest(3)
        driver.measure(f"{name} {size} de")
        said = box_of(toast)
        driver.saw[f"{name} {size} de"] |= {
            "hidden": hidden_answers(bar),
            "under the toast": [key for key, chip in bar.chips.items() if overlap(said, box_of(chip))],
            "toast": bool(toast.opacity),
        }
        toast.say("", 0.0)
    set_language("en")
    driver.session.show(lines=())
    yield from rest(3)


def hidden_answers(bar: Any) -> list[str]:
    """Return the answers of a question that are not whole in sight."""
    view = box_of(bar.ids.view)
    return [name for name, chip in bar.chips.items() if not within(box_of(chip), view)]


def sizes(driver: Driver) -> Steps:
    """Turn and resize the window; at each size look at an ordinary moment and at one with long texts."""
    from kivy.core.window import Window

    ordinary = driver.session.snapshot
    for width, height in SIZES:
        Window.size = (width, height)
        driver.session.show(table=ordinary.table, lines=ordinary.lines)
        yield from rest(4)
        driver.measure(f"ordinary {width}x{height}")
        show_long_texts(driver)
        yield from rest(3)
        driver.measure(f"long {width}x{height}")


def film(driver: Driver, source: str) -> Steps:
    """A film of the polite film's game through the whole program, until a play is ruled on.

    With a picture it is the sample film, until a play is ruled illegal.
    """
    from kivy.animation import Animation

    setup = replace(driver.setup, source=source)
    if driver.picture:
        shown = sample_film()
        setup = replace(setup, players=shown.players, dealer=shown.dealer)
    session = make_session(setup, realtime=False)
    driver.app.play(session)
    wanted = ("illegal",) if driver.picture else ("legal", "illegal", "unproven")

    def fallen() -> bool:
        judged = [line for line in session.snapshot.lines if line.get("ruling")]
        if len(judged) < driver.rulings:
            return False
        return judged[-1]["ruling"]["verdict"] in wanted and judged[-1]["event"] == "play"

    while not fallen() and session.snapshot.phase not in ("ended", "failed"):
        yield
    session.pause(True)
    while session.snapshot.phase == "watching":
        yield
    yield from rest(15)
    Animation.cancel_all(driver.ids.toast)
    driver.ids.toast.opacity = 0
    yield from rest(4)
    driver.see("film")
    driver.saw["phase"] = session.snapshot.phase
    if driver.picture:  # as it looked before it was stopped for the picture
        driver.ids.phase.full_text = ""
        yield from rest(3)


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (
        look,
        corrections,
        correct_a_set,
        missed_cards,
        states,
        questions,
        sizes,
        player_fields,
        long_texts,
        tonight,
        form,
    )
}


def main() -> None:
    scenario, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if scenario == "speed":
        shown, seconds = sys.argv[4], float(sys.argv[5])
        print(json.dumps(Driver(width, height, None).run(lambda d: speed(d, shown, seconds), plays=False)))
        return
    if scenario == "film":
        picture = Path(sys.argv[5]) if len(sys.argv) > 5 else None
        prepare_kivy()
        tick_at_most(3)
        draw_rarely()
        driver = Driver(width, height, picture)
        print(json.dumps(driver.run(lambda driver: film(driver, sys.argv[4]), plays=False)))
        return
    picture = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    if picture is None:
        prepare_kivy()
        tick_at_most(TICKS_A_SECOND)
        draw_rarely()
    plays = scenario not in ("tonight", "form")
    print(json.dumps(Driver(width, height, picture).run(SCENARIOS[scenario], plays=plays)))


if __name__ == "__main__":
    main()
