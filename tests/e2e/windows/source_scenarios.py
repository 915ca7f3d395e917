"""Scenarios of `drive_app.py` on sources that a person types, and on what the form remembers."""

from __future__ import annotations

from dataclasses import replace

from companion.game.preview import Preview
from companion.game.setup import GameSetup
from companion.sources.joined_phone import JOINED_PHONE
from companion.store.store import Store
from engine.errors import BadInputError
from tests.e2e.windows.scenarios import Reads, Tables
from tests.e2e.windows.walker import PLAYERS, Steps, Walker, by_touch, rest, until
from vision.capture.addresses import without_password

DEAD, MENDED = "http://me:secret@127.0.0.1:9/video", "http://me:secret@127.0.0.1:8080/video"


def _opened(source: str) -> Tables:
    """Open a stand-in for a stream: only the mended address works."""
    if source == DEAD:
        raise BadInputError("{source}: nothing listens there", source=without_password(source))
    return Tables(source, [])


def _chips(walker: Walker) -> list[str]:
    """Return the offered sources without a phone that joins, which is always there."""
    offered = [chip.source for chip in reversed(walker.screen.ids.sources.children)]
    return [source for source in offered if source != JOINED_PHONE]


def typed_sources(walker: Walker) -> Steps:
    """An address is typed wrongly, mended, started; it is remembered, and removed from the list."""
    begun: list[GameSetup] = []
    walker.app.make_preview = lambda source, deck: Preview(lambda: _opened(source), Reads)
    walker.app.ask(replace(by_touch(walker), kept=False))
    yield
    yield from rest(4)
    form = walker.screen
    form.on_start = begun.append
    walker.saw["by touch"] = [form.waits, form.ids.start.disabled]
    yield from walker.write(form.ids.address, "me:secret@127.0.0.1:9/video")
    yield from walker.tap(form.ids.start)  # it is looked through first, as after Enter
    yield from until(lambda: form.failed)
    yield from rest(3)
    walker.saw["failed"] = [form.ids.address.text, form.sight_text, form.waits, form.ids.start.disabled]
    walker.saw["failed list"] = _chips(walker)
    walker.saw["failed shown"] = walker.texts()
    walker.look("failed source")
    yield from walker.tap(form.ids.start)
    walker.saw["begun on a dead source"] = len(begun)
    yield from walker.write(form.ids.address, "me:***@127.0.0.1:8080/video")  # as it is shown
    form.ids.address.dispatch("on_text_validate")  # Enter
    yield from until(lambda: form.preview is not None and form.preview.picture is not None)
    yield from rest(3)
    walker.saw["mended"] = [form.ids.address.text, form.source, form.waits, _chips(walker)]
    yield from walker.tap(form.ids.start)
    walker.saw["begun"] = [setup.source for setup in begun]
    walker.saw["remembered"] = [walker.app.settings.sources, walker.app.settings.players]
    walker.app.ask(replace(by_touch(walker), kept=False))
    yield from rest(4)
    form = walker.screen
    walker.saw["offered again"] = _chips(walker)
    yield from walker.tap(form.ids.edit)
    yield from walker.tap(next(chip for chip in form.ids.sources.children if chip.source == MENDED))
    walker.look("source sheet")
    yield from walker.tap(form.sheet.ids.forget)
    yield from rest(8)
    walker.saw["removed"] = [_chips(walker), walker.app.settings.sources]


def film_behind_tour(walker: Walker) -> Steps:
    """The first steps lie over the sample film, which waits for their end."""
    from kivy.core.window import Window

    from tests.support.scripted import ScriptedSession

    session = ScriptedSession()
    walker.app.play(session)
    yield
    yield from rest(3)
    walker.saw["asked behind the tour"] = list(session.asked)
    shown = next(child for child in Window.children if type(child).__name__ == "Tour")
    for _page in range(3):
        yield from walker.tap(shown.ids.onwards)
    yield from until(lambda: session.asked[-1] == ["pause", False])
    walker.saw["asked after it"] = session.asked[-1]


def differing_rules(walker: Walker) -> Steps:
    """Each ruleset says in one line how it differs."""
    walker.app.ask(replace(by_touch(walker), kept=False))
    yield
    yield from rest(3)
    form = walker.screen
    walker.saw["differs"] = {}
    for chip in reversed(form.ids.rules.children):
        form.choose_rules(chip.rules)
        walker.saw["differs"][chip.rules] = form.differs
    yield from rest(3)


def known_players(walker: Walker) -> Steps:
    """Names that have played before are seated by a tap, renamed and removed; the dealer is asked for."""
    walker.app.set(players=("Zoe", "Yann", "Ann"))
    walker.app.ask(replace(by_touch(walker), kept=False, players=("Ann", ""), dealer="Zed"))
    yield
    yield from rest(4)
    form = walker.screen

    def known() -> list[str]:
        return [chip.source for chip in reversed(form.ids.known.children)]

    def chip(name: str) -> object:
        return next(chip for chip in form.ids.known.children if chip.source == name)

    walker.saw["known"] = known()
    yield from walker.tap(chip("Zoe"))
    walker.saw["seated"] = [row.name for row in form.rows]
    walker.saw["asked"] = [form.asks, form.ids.start.disabled]
    yield from walker.tap(form.rows[1].ids.dealer)
    walker.saw["answered"] = [form.asks, form.chosen().dealer]
    yield from walker.tap(form.ids.edit)
    yield from walker.tap(chip("Yann"))
    yield from walker.write(form.sheet.ids.field, "Yannick")
    yield from walker.tap(form.sheet.ids.save)
    yield from rest(8)
    walker.saw["renamed"] = known()
    yield from walker.tap(form.ids.edit)
    yield from walker.tap(chip("Yannick"))
    yield from walker.tap(form.sheet.ids.forget)
    yield from rest(8)
    walker.saw["left"] = [known(), walker.app.settings.players]


def resumed_without_camera(walker: Walker) -> Steps:
    """A game goes on whose camera is dead: its table is shown, and the form asks for another source."""
    from companion.cli.app import choose_setup
    from companion.cli.main import build_parser

    with Store.open(walker.store) as store:
        store.start_game("winnersh", PLAYERS, dealer="Dan", source=DEAD)
        store.append(
            *(
                {"id": number, "event": "play", "player": player, "cards": [card], "t": number}
                | {"source": "hand", "decided_at": number}
                for number, (player, card) in enumerate((("Ann", "4C"), ("Bob", "9S")), start=1)
            )
        )
    setup, _settled = choose_setup(
        build_parser().parse_args(["app", "--resume", "--store", str(walker.store)])
    )
    walker.app.start_game(setup)
    yield
    yield from until(lambda: walker.app.session.snapshot.phase == "failed")
    yield from rest(4)
    walker.look("dead camera")
    walker.saw["pile"] = list(walker.app.session.snapshot.table.pile)
    walker.saw["undo"] = walker.screen.ids.undo.disabled
    yield from walker.tap(walker.screen.ids.pause)
    yield from rest(6)
    walker.saw["asks"] = [type(walker.screen).__name__, bool(walker.screen.broken_text)]
    yield from walker.tap(next(c for c in walker.screen.ids.sources.children if not c.source))
    yield from walker.tap(walker.screen.ids.broken.ids.button)
    yield from until(
        lambda: walker.app.session is not None and walker.app.session.snapshot.phase == "watching"
    )
    walker.saw["goes on"] = [walker.app.setup.source, list(walker.app.session.snapshot.table.pile)]
