"""A scenario of `drive_app.py`: the ledger of an evening, what is shared of it, and what is kept here."""

from __future__ import annotations

from companion.settings import load_settings
from tests.e2e.windows.ledger_scenario import ledger
from tests.e2e.windows.walker import Steps, Walker, by_touch, rest


def evening(walker: Walker) -> Steps:
    """The ledger over the games that the test has put into the store."""
    walker.app.ask(by_touch(walker))
    yield
    yield from rest(3)
    walker.look("tonight")
    yield from ledger(walker)
    for name in ("picture", "csv", "text"):
        yield from walker.tap(walker.screen.buttons[name])
    from kivy.core.clipboard import Clipboard

    from companion.game.sharing import documents_folder, pictures_folder

    walker.saw["clipboard"] = Clipboard.paste()
    walker.saw["csv"] = [path.read_text() for path in documents_folder().glob("*.csv")]
    walker.saw["png"] = [path.stat().st_size for path in pictures_folder().glob("*.png")]
    yield from walker.go("rules")
    walker.look("rules-free")
    yield from walker.tap(walker.screen.ask)
    yield from rest(3)
    sheet = walker.screen.sheet
    yield from walker.tap(sheet.ids.pad.keys["9"])
    yield from walker.tap(sheet.chips["cards"])
    yield from walker.tap(sheet.ids.pad.keys["4"])
    yield from rest(2)
    walker.look("ask-free")
    yield from walker.tap(sheet.ids.close)
    yield from rest(6)
    yield from walker.go("more")
    yield from walker.tap(walker.screen.buttons["backup"])
    walker.saw["backups"] = [path.name for path in documents_folder().glob("*.sqlite")]
    usual = walker.app.u
    yield from walker.tap(walker.screen.type_sizes["largest"])
    chips = [name for name, chip in walker.screen.type_sizes.items() if chip.on]
    walker.saw["largest type"] = [walker.app.u / usual, chips, load_settings().type_size]
    walker.look("more-largest")
    yield from walker.tap(walker.screen.type_sizes["normal"])
    walker.saw["usual type"] = walker.app.u / usual
    yield from walker.tap(walker.screen.languages["de"])
    yield from rest(3)
    walker.look("more-de")
    yield from walker.go("table")
    walker.look("tonight-de")
    yield from walker.go("rules")
    walker.look("rules-de")
    yield from walker.go("table")
    walker.saw["language"] = load_settings().language
    yield from walker.go("deck")
    walker.look("deck-de")
    yield from walker.tap(walker.screen.learning)
    walker.saw["learns"] = load_settings().learn_deck
    yield from walker.go("more")
    yield from walker.tap(walker.screen.switches["speak"])
    walker.saw["speaks"] = load_settings().speak
    yield from walker.tap(walker.screen.buttons["erase"])
    walker.look("erase-asks")
    walker.saw["still there"] = walker.store.exists()
    yield from walker.tap(walker.screen.buttons["erase"])
    yield from rest(4)
    walker.saw["erased"] = not walker.store.exists()
    walker.look("erased")
