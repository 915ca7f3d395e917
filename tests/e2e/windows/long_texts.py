"""Scenarios of `drive_window.py`: long names and long texts on the table, in windows and type of any size."""

from __future__ import annotations

from typing import Any

from tests.e2e.windows.walker import Steps, rest
from tests.e2e.windows.window_driver import Driver
from tests.support.scripted import ILLEGAL, LONG_NAME, PLAYERS, Hand, Table

FIELD_SIZES, TYPE_SCALES = ((412, 892), (892, 412), (1280, 720)), (1.0, 1.3, 1.6)


def player_fields(driver: Driver) -> Steps:
    """The players' fields with an ordinary name whose turn it is, and with a long one.

    With a picture asked for, the window is photographed each time, beside that picture.
    """
    from kivy.core.window import Window
    from kivy.metrics import Metrics

    ordinary, picture = driver.session.snapshot, driver.picture
    for width, height in FIELD_SIZES:
        for scale in TYPE_SCALES:
            Metrics.fontscale, Window.size = scale, (width, height)
            for what in ("ordinary", "long"):
                if what == "long":
                    show_long_texts(driver)
                else:
                    driver.session.show(table=ordinary.table, lines=ordinary.lines)
                yield from rest(4)
                at = f"{what} {width}x{height} {scale}"
                driver.measure(at)
                driver.saw[at]["fields"] = [field_of(cell) for cell in driver.ids.players.cells.values()]
                if picture is not None:
                    driver.picture = picture.with_name(f"{at.replace(' ', '-')}.png")
                    driver.shoot()
    driver.picture = picture


def field_of(cell: Any) -> dict[str, Any]:
    """Return what a player's field says and shows of name and hand, and where.

    `edges` go from left to right, or upwards if the hand stands below the name.
    """
    name, hand = cell.ids.name, cell.ids.hand
    heights = [[label.texture_size[1], label.height] for label in (name, hand)]
    field = {
        "said": [cell.title, cell.hand],
        "shown": [name.text, hand.text],
        "type": [name.font_size, hand.font_size],
    }
    if cell.narrow:
        widths = [[label.texture_size[0], cell.right - label.x] for label in (name, hand)]
        edges = [cell.y, hand.y, hand.top, name.y, name.top, cell.top]
        return {**field, "edges": edges, "gap": None, "heights": heights + widths}
    between = name.x + name.texture_size[0], hand.right - hand.texture_size[0]
    edges = [cell.x, name.x, *between, hand.right, cell.right]
    return {**field, "edges": edges, "gap": between[1] - between[0], "heights": heights}


def long_texts(driver: Driver) -> Steps:
    show_long_texts(driver)
    yield from rest(2)


def show_long_texts(driver: Driver) -> None:
    players = (LONG_NAME, "Иван", "Ødegård", "D")
    table = Table()
    need = "a card of the same colour, equal to or higher than the queen beneath the threes"
    named = Table(
        players=players,
        turn=LONG_NAME,
        hands=dict.fromkeys(players, Hand(44)),
        up={new: table.up[old] for old, new in zip(PLAYERS, players, strict=True)},
        down=dict.fromkeys(players, 3),
        demand_in_words=need,
    )
    says = " ".join(["The card cannot go there: the one beneath it counts and is higher."] * 6)
    wordy = {**ILLEGAL, "breaches": [{**ILLEGAL["breaches"][0], "says": says}]}
    line = {"id": 8, "event": "play", "player": LONG_NAME, "cards": ["7H"], "t": 6000, "ruling": wordy}
    driver.session.show(table=named, lines=(line,))
