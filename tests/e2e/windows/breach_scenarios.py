"""Scenarios of `drive_app.py` after a breach: what the table does about it, and the seconds before it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.game.clips import ClipBuffer
from companion.game.evening import apply_revisions
from companion.game.sharing import films_folder
from companion.game.starting import make_session
from companion.store.store import Store
from engine.ruleset import Rule
from tests.e2e.films import dealt_table
from tests.e2e.windows.filmed_scenario import is_illegal
from tests.e2e.windows.walker import Steps, Walker, rest, started, until
from tests.support.scripted import ILLEGAL, LINES, READINGS, ScriptedSession, table_picture
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat


def _play(walker: Walker, player: str, *keys: str) -> Steps:
    yield from walker.tap(walker.screen.ids.players.cells[player])
    for key in (*keys,):
        yield from walker.tap(walker.screen.player_sheet.pad.keys[key])
    yield from walker.tap(walker.screen.player_sheet.buttons["play"])
    yield from rest(8)


def _events(walker: Walker) -> list[list[Any]]:
    lines = walker.app.session.snapshot.lines
    return [[line["event"], line.get("player"), line.get("says")] for line in lines]


def breached(walker: Walker) -> Steps:
    """After an illegal play each consequence is taken once: taken back, picked up, let stand."""
    yield from started(walker)
    session = walker.app.session
    spoken: list[str] = []
    walker.app.set(speak=True)
    walker.app.feedback.say = lambda text, lasting=False: spoken.append(text) if text else None
    yield from _play(walker, "Ann", "9")
    yield from _play(walker, "Bob", "5")
    yield from until(lambda: walker.screen.ids.choices.event_id)
    yield from rest(4)
    walker.look("asked")
    walker.saw["choices"] = list(walker.screen.ids.choices.buttons)
    yield from walker.tap(walker.screen.ids.choices.buttons["taken_back"])
    yield from until(lambda: session.snapshot.lines[-1]["event"] == "consequence")
    yield from rest(4)
    walker.saw["was taken back"] = [
        _events(walker),
        session.snapshot.table.turn,
        list(session.snapshot.table.pile),
    ]
    walker.look("taken back")
    yield from walker.tap(walker.screen.ids.undo)
    yield from until(lambda: walker.screen.ids.choices.event_id)
    yield from rest(4)
    walker.saw["undone"] = [list(session.snapshot.table.pile), list(walker.screen.ids.choices.buttons)]
    yield from walker.tap(walker.screen.ids.choices.buttons["picked_up"])
    yield from until(lambda: session.snapshot.lines[-1]["event"] == "consequence")
    yield from rest(4)
    table = session.snapshot.table
    walker.saw["picked up"] = [_events(walker)[-1], table.turn, list(table.pile), table.hands["Bob"].size]
    walker.saw["gone"] = walker.screen.ids.choices.event_id
    yield from _play(walker, "Cat", "K")
    yield from _play(walker, "Dan", "6")
    yield from until(lambda: walker.screen.ids.choices.event_id)
    yield from rest(4)
    yield from walker.tap(walker.screen.ids.choices.buttons["stands"])
    yield from until(lambda: session.snapshot.lines[-1].get("says") == "stands")
    yield from rest(4)
    table = session.snapshot.table
    walker.saw["stands"] = [_events(walker)[-1], table.turn, list(table.pile)]
    walker.saw["banner"] = walker.screen.ids.banner.word
    walker.saw["spoken"] = [
        text for text in spoken if "back" in text or "picks up" in text or "stands" in text
    ]
    yield from _play(walker, "Ann", "9")
    yield from _play(walker, "Bob", "4")
    yield from until(lambda: walker.screen.ids.choices.event_id)
    yield from _play(walker, "Cat", "J")
    yield from rest(4)
    walker.saw["moved on"] = walker.screen.ids.choices.event_id


HOUSE_RULE = "Who plays wrongly sings."


def film_consequences(walker: Walker) -> Steps:
    """A drawn table by house rules: a breach has each consequence once, and then the game goes on."""
    camera = dealt_table.Camera()
    dealt_table.look_through(camera)
    house = walker.store.with_name("house.toml")
    house.write_text(
        f'name = "Ours"\nbase = "winnersh"\n[rules."house.breach"]\n'
        f'quote = "{HOUSE_RULE}"\ndecides = ["breach"]\n'
    )
    setup = replace(dealt_table.setup_in(walker.store), dealer="Bob", rules=str(house))
    session = make_session(setup, realtime=False)
    spoken: list[str] = []
    walker.app.set(speak=True)
    walker.app.feedback.say = lambda text, lasting=False: spoken.append(text) if text else None
    walker.app.play(session, session.setup)
    yield
    camera.show(0.6)
    camera.deal()
    camera.show(4.0)
    camera.play(0, "Ann", "9S")
    yield from _see_again_a_lawful_play(walker)
    camera.play(1, "Bob", "5H")
    yield from until(lambda: any(is_illegal(line) for line in session.snapshot.lines))
    session.pause(True)
    yield from until(lambda: session.snapshot.phase == "paused" and walker.screen.ids.choices.event_id)
    yield from rest(4)
    walker.look("film asks")
    walker.saw["film choices"] = list(walker.screen.ids.choices.buttons)
    walker.saw["film pile"] = list(session.snapshot.table.pile)
    for choice in ("taken_back", "picked_up", "stands", "by_rule"):
        spoken.clear()
        yield from walker.tap(walker.screen.ids.choices.buttons[choice])
        yield from until(lambda: session.snapshot.lines[-1]["event"] == "consequence")
        yield from until(lambda: bool(spoken))
        yield from rest(4)
        table, banner = session.snapshot.table, walker.screen.ids.banner
        with Store.open(walker.store) as store:
            stored = apply_revisions(store.events(session.game_id or 0))
        walker.saw[f"film {choice}"] = {
            "recorded": [[line["event"], line.get("player"), line.get("says")] for line in stored][-1],
            "plays of Bob": sum(line["event"] == "play" and line.get("player") == "Bob" for line in stored),
            "spoken": spoken[0],
            "banner": [banner.word, banner.what],
            "asked": walker.screen.ids.choices.event_id,
            "turn": table.turn,
            "pile": list(table.pile),
            "log": walker.screen.ids.log.ids.rows.data[0]["title"],
        }
        if choice != "by_rule":
            yield from walker.tap(walker.screen.ids.undo)
            yield from until(lambda: walker.screen.ids.choices.event_id)
            yield from rest(4)
    session.pause(False)
    camera.play(2, "Ann", "JD")
    yield from until(lambda: session.snapshot.lines[-1].get("cards") == ["JD"])
    camera.close()
    yield from until(lambda: session.snapshot.phase in ("ended", "failed"))
    yield from rest(4)
    walker.saw["film end"] = [session.snapshot.phase, _events(walker)]


def moved_under_a_finger(walker: Walker) -> Steps:
    """While a finger rests on a choice, the row comes to show the next breach."""
    from kivy.core.window import Window
    from kivy.tests.common import UnitTestTouch

    from companion.app.screens.choices import ChoicesBar

    yield
    bar = ChoicesBar(size=(600, 200))
    Window.add_widget(bar)
    chosen: list[list[Any]] = []
    bar.on_choose = lambda number, choice: chosen.append([number, choice])
    rule = Rule(id="house.breach", quote=HOUSE_RULE, cite="house.toml", text=HOUSE_RULE, decides=("breach",))
    first, second = (
        replace(ScriptedSession().snapshot, lines=({**LINES[-1], "id": number, "ruling": ILLEGAL},))
        for number in (1, 2)
    )
    for choice in ("stands", "by_rule"):
        bar.show(first, rule, lambda _number: None)
        yield from rest(4)
        touch = UnitTestTouch(*bar.buttons[choice].to_window(*bar.buttons[choice].center))
        touch.touch_down()
        yield from rest(2)
        bar.show(second, rule, lambda _number: None)
        yield from rest(2)
        touch.touch_up()
        yield from rest(4)
        yield from walker.tap(bar.buttons[choice])
    walker.saw["chosen"] = chosen
    Window.remove_widget(bar)


def _see_again_a_lawful_play(walker: Walker) -> Steps:
    """The banner is tapped after a ruling without a breach; from there the last seconds are seen again."""
    session = walker.app.session
    yield from until(lambda: any(line["event"] == "play" for line in session.snapshot.lines))
    session.pause(True)
    yield from until(lambda: session.snapshot.phase == "paused")
    yield from rest(4)
    walker.saw["lawful"] = walker.screen.ids.banner.word
    yield from walker.tap(walker.screen.ids.banner)
    yield from until(lambda: walker.screen.sheet is not None)
    yield from rest(4)
    walker.look("lawful ruling")
    tapped = time.monotonic()
    yield from walker.tap(walker.screen.sheet.ids.show, steps=0)
    yield from until(lambda: walker.screen.clip is not None and walker.screen.clip.texture is not None)
    walker.saw["seconds to the lawful clip"] = time.monotonic() - tapped
    clip = walker.screen.clip
    walker.saw["its seconds"] = [
        clip.clip.event == walker.screen.sheet.event.id,
        sorted({card for card, _corners in clip.clip.outlines})
        == sorted(set(walker.screen.sheet.event.cards)),
        clip.clip.frames[-1][0] - clip.clip.frames[0][0],
        films_folder().exists(),
    ]
    yield from rest(2)
    walker.look("lawful clip")
    yield from walker.tap(clip.ids.close)
    yield from rest(8)
    yield from walker.tap(walker.screen.sheet.ids.close)
    yield from rest(8)
    session.pause(False)


def kept_clip(walker: Walker, clip: Any) -> Steps:
    """Nothing is written before the tap; a file in the folder's place is named; then the film is there."""
    folder = films_folder()
    walker.saw["films"] = [str(folder), folder.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where the folder should be")
    yield from walker.tap(clip.ids.keep)
    walker.saw["refused"] = clip.caption
    folder.unlink()
    yield from walker.tap(clip.ids.keep)
    walker.saw["kept"] = clip.caption
    walker.look("kept clip")
    films = list(folder.iterdir())
    film = cv2.VideoCapture(str(films[0]))
    walker.saw["film"] = [len(films), int(film.get(cv2.CAP_PROP_FRAME_COUNT)), clip.ids.keep.disabled]


def clipped(walker: Walker) -> Steps:
    """The last seconds before a ruling are shown at a tap, with the card outlined."""
    session = ScriptedSession()
    # On a small screen with large type the choices wait for a question's answer.
    session.show(lines=tuple(line for line in LINES if line["event"] != "unclear"))
    clips = ClipBuffer()
    for number in range(60):
        clips.add(table_picture(), 55.0 + number * 0.125)
    seats = tuple(Seat(name, ((480.0, y),), (0.0, 1.0)) for name, y in (("Ann", 460.0), ("Cat", 250.0)))
    clips.pin(LINES, READINGS, (960, 540), Layout(TablePlane(np.eye(3)), 960, 540, seats))
    session.clips = clips
    walker.app.play(session)
    yield
    yield from until(lambda: "show" in walker.screen.ids.choices.buttons)
    yield from rest(4)
    walker.look("with a clip")
    tapped = time.monotonic()
    yield from walker.tap(walker.screen.ids.choices.buttons["show"], steps=0)
    yield from until(lambda: walker.screen.clip is not None and walker.screen.clip.texture is not None)
    walker.saw["seconds to the clip"] = time.monotonic() - tapped
    clip = walker.screen.clip
    walker.saw["outlined"] = [card for card, _corners in clip.clip.outlines]
    walker.saw["length"] = clip.clip.frames[-1][0] - clip.clip.frames[0][0]
    yield from until(lambda: clip.done)
    walker.saw["took"] = time.monotonic() - tapped
    yield from rest(3)
    walker.look("clip")
    yield from walker.tap(clip.ids.again)
    walker.saw["again"] = clip.frame < len(clip.clip.frames) - 1
    yield from kept_clip(walker, clip)
    yield from walker.tap(clip.ids.close)
    yield from rest(8)
    yield from walker.tap(walker.screen.ids.choices.buttons["stands"])
    walker.saw["asked"] = session.asked[-1]
