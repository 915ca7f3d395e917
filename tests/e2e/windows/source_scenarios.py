"""Scenarios of `drive_app.py` on sources that a person types, and on what the form remembers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from companion.game.house_variants import known_ruleset, variants_folder
from companion.game.preview import Preview
from companion.game.setup import GameSetup
from companion.sources.joined_phone import JOINED_PHONE
from companion.store.store import Store
from engine.errors import BadInputError
from engine.ruleset import load_ruleset
from engine.which_ruleset import questions
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


def which_rules(walker: Walker) -> Steps:
    """Three answers lead to a ruleset, which the form then selects; the last time one fits only nearly."""
    walker.app.ask(replace(by_touch(walker), kept=False))
    yield
    yield from rest(4)
    form = walker.screen
    wanted = [question.by_ruleset["shed"] for question in questions()]
    odd = [question.by_ruleset["jokers"] for question in questions()[:2]]
    before = walker.taps
    for name, answers in (("fits", wanted), ("closest", [*odd, wanted[2]]), ("open", [None, None, None])):
        yield from walker.tap(form.ids.which)
        yield from rest(4)
        sheet = form.which_rules
        for number, answer in enumerate(answers):
            yield from rest(2)
            walker.look(f"question {number + 1} {name}")
            buttons = sheet.ids.answers.children
            yield from walker.tap(next(button for button in buttons if button.answer == answer))
        yield from rest(4)
        walker.look(f"result {name}")
        yield from walker.tap(sheet.ids.choose)
        yield from rest(8)
        walker.saw[name] = [form.rules, form.chosen().rules]
        walker.saw.setdefault("taps", walker.taps - before)


def house_rules_made(walker: Walker) -> Steps:
    """House rules are made from a ruleset and an option, named, played, changed and removed, all by touch."""
    walker.app.ask(replace(by_touch(walker), kept=False, rules="jokers"))
    yield
    yield from rest(4)
    form = walker.screen

    def offered() -> list[str]:
        return [chip.label for chip in reversed(form.ids.rules.children)]

    yield from walker.tap(next(t for t in form.ids.options.children if t.option == "q-reverse"))
    yield from walker.tap(form.ids.house)
    sheet = form.house_rules
    walker.look("house rules")
    yield from walker.tap(sheet.ids.save)
    walker.saw["unnamed"] = sheet.fault
    yield from walker.write(sheet.ids.field, "Shed")
    yield from walker.tap(sheet.ids.save)
    walker.saw["taken"] = sheet.fault
    walker.look("a name that is taken")
    yield from walker.write(sheet.ids.field, "Friday rules")
    sheet.ids.scroll.scroll_y = 0
    yield from rest(4)
    yield from walker.tap(sheet.breaches[1])
    walker.look("after a breach")
    yield from walker.tap(sheet.breaches[0])
    walker.saw["after a breach"] = [toggle.on for toggle in sheet.breaches]
    yield from walker.tap(sheet.ids.save)
    yield from rest(8)
    walker.saw["made"] = [offered(), Path(form.rules).name, form.chosen().options, form.differs]
    walker.saw["left to switch"] = [toggle.option for toggle in reversed(form.ids.options.children)]
    walker.saw["typed"] = known_ruleset("friday RULES") == form.rules
    walker.look("with house rules")
    yield from walker.tap(form.ids.house)
    sheet = form.house_rules
    walker.saw["kept"] = [toggle.on for toggle in sheet.breaches]
    sheet.ids.scroll.scroll_y = 0
    yield from rest(4)
    yield from walker.write(sheet.ids.breach, "They sing.")
    walker.saw["own words"] = [toggle.on for toggle in sheet.breaches]
    sheet.ids.scroll.scroll_y = 1
    yield from rest(4)
    yield from walker.write(sheet.ids.field, "Saturday rules")
    yield from walker.tap(sheet.toggles["10-not-on-7"])
    yield from walker.tap(sheet.ids.save)
    yield from rest(8)
    rules = load_ruleset(form.rules)
    walker.saw["changed"] = [offered(), rules.title, rules.options]
    walker.saw["sentence"] = rules.rule_for("breach").quote
    yield from walker.tap(form.ids.start)
    yield from until(lambda: walker.app.session is not None and walker.app.session.snapshot.table is not None)
    yield from rest(4)
    yield from walker.go("rules")
    yield from rest(4)
    walker.saw["played"] = walker.screen.title
    walker.app.ask(replace(by_touch(walker), kept=False, rules=walker.app.setup.rules))
    yield from rest(6)
    form = walker.screen
    yield from walker.tap(form.ids.house)
    yield from walker.tap(form.house_rules.ids.forget)
    yield from rest(8)
    walker.saw["removed"] = [offered(), form.rules, [str(path) for path in variants_folder().iterdir()]]
