"""A part of the scenario `evening` of `drive_app.py`: the ledger, its plot and how it scrolls."""

from __future__ import annotations

from companion import theme
from tests.e2e.windows.measuring import pixels
from tests.e2e.windows.walker import Steps, Walker, rest


def ledger(walker: Walker) -> Steps:
    """The newest evening, its plot, a throw far beyond its end, and all evenings."""
    from kivy.graphics import Rectangle

    yield from walker.go("ledger")
    yield from rest(2)
    screen = walker.screen
    walker.look("ledger")
    walker.saw["streaks"] = {"ledger": streaks(walker)}
    walker.saw["bars"] = {
        row.name: next(part.size[0] for part in row.ids.bar.canvas.children if isinstance(part, Rectangle))
        for row in screen.rows
    }
    plot, scroll = screen.plot, screen.ids.scroll
    scroll.scroll_to(plot, animate=False)
    yield from rest(4)
    walker.look("plot")
    walker.saw["curves"] = plot.curves
    walker.saw["inks between the first games"] = {}
    picture = pixels()
    for player, ink in plot.inks.items():
        x, y = map(round, plot.to_window(*plot.at(player, 0.5, plot.curves[player][0] / 2)))
        beside = picture[y - 3 : y + 4, x].reshape(-1, 3)
        walker.saw["inks between the first games"][player] = theme.rgb(ink) in map(tuple, beside.tolist())
    thrown = scroll.effect_y
    thrown.velocity = -4000
    thrown.update_velocity(1.0)  # as in a window that is drawn once in a second
    walker.saw["thrown to"] = scroll.scroll_y
    yield from rest(2)
    yield from walker.tap(screen.chips["all"])
    yield from rest(2)
    walker.saw["all evenings from"] = scroll.scroll_y
    walker.look("ledger-all")
    walker.saw["streaks"]["ledger-all"] = streaks(walker)


def streaks(walker: Walker) -> list[list[str]]:
    """Return what the ledger says of each player beside the losses."""
    return [[row.name, row.detail] for row in walker.screen.rows]
