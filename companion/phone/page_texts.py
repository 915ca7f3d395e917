"""The page with its texts in every language, so that it has words even while it is not connected."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from companion.i18n.catalogue import LANGUAGES, _, gettext_noop, speaking

PAGE_TEXTS = (
    gettext_noop("A call stops the picture. Come back to this page, and it goes on."),
    gettext_noop("A card is missing"),
    gettext_noop("A phone leans against books and looks down at the table."),
    gettext_noop("Another phone films now."),
    gettext_noop("Asking the phone that films …"),
    gettext_noop("Back to the camera"),
    gettext_noop("Close"),
    gettext_noop("Connect again"),
    gettext_noop("Correct it"),
    gettext_noop("Done"),
    gettext_noop("Film the table with this phone"),
    gettext_noop("Film with this phone instead"),
    gettext_noop("Game"),
    gettext_noop("Hand it over"),
    gettext_noop("It did not happen"),
    gettext_noop("Joker"),
    gettext_noop("Keep filming"),
    gettext_noop("Lean it against a glass or books, half a metre above the table."),
    gettext_noop("Ledger"),
    gettext_noop("Light"),
    gettext_noop("Log"),
    gettext_noop("Looking for cards …"),
    gettext_noop("May be played now:"),
    gettext_noop("No game is finished yet."),
    gettext_noop("No game is running yet"),
    gettext_noop("No phone films"),
    gettext_noop("Not connected. Trying again …"),
    gettext_noop("Nothing has happened yet."),
    gettext_noop("Other lens"),
    gettext_noop("Phone {n}"),
    gettext_noop("Pick-ups {n} · Burns {burns}"),
    gettext_noop("Plug it in if you can. The screen stays on."),
    gettext_noop("Prop this phone up like this"),
    gettext_noop("Start filming"),
    gettext_noop("Stop filming"),
    gettext_noop("Table"),
    gettext_noop("Tap the card that was missed."),
    gettext_noop("Tap the right card."),
    gettext_noop("That is me"),
    gettext_noop("That is wrong"),
    gettext_noop("The browser is not allowed to use the camera. Allow it in the page's settings."),
    gettext_noop("The camera cannot be opened ({reason})."),
    gettext_noop("The others see this name if you correct something."),
    gettext_noop("This camera's light cannot be switched."),
    gettext_noop("This card was not there"),
    gettext_noop("Tilt it so that the whole table is in the picture, with every player's row of cards."),
    gettext_noop("Up {up} · Down {down}"),
    gettext_noop("Waiting for the deal"),
    gettext_noop("Was it somebody else?"),
    gettext_noop("Who are you?"),
    gettext_noop("Your name"),
    gettext_noop("Your phone then becomes a screen."),
    gettext_noop("none"),
    gettext_noop("out"),
    gettext_noop("{name} corrected an event."),
    gettext_noop("{name} films"),
    gettext_noop("{name} films now."),
    gettext_noop("{name} is busy, with a call for example"),
    gettext_noop("{name} is not connected"),
    gettext_noop("{name} sends no picture"),
    gettext_noop("{name} wants to film the table."),
    gettext_noop("{n} in hand"),
    gettext_noop("{n} lost in a row"),
    gettext_noop("Screens: {n}"),
    gettext_noop("{pile} on the pile · {draw} to draw · {burned} burned"),
)
"""Every text that `page.js` shows with `t(...)`."""


@cache
def page_document() -> str:
    """Return the page's HTML with the translations in it."""
    html = (resources.files("companion.phone") / "page" / "index.html").read_text(encoding="utf-8")
    # `<` cannot end the script element that holds the texts.
    texts = json.dumps(translations(), ensure_ascii=False).replace("<", "\\u003c")
    return html.replace("{texts}", texts)


def translations() -> dict[str, dict[str, str]]:
    """Return each language's translations by the English text. English needs none."""
    found = {}
    for code in LANGUAGES:
        if code != "en":
            with speaking(code):
                found[code] = {text: _(text) for text in PAGE_TEXTS}
    return found
