"""Layout of the sheet that corrects an event. Plain arithmetic, free of Kivy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from companion.app.screens.arrangement import Box


class Parts(NamedTuple):
    """The parts of the sheet for one event."""

    cards: bool = True
    """The 52 cards to choose from."""
    several: bool = False
    """The event's own cards, with one selected."""
    ruling: bool = False
    hint: bool = True
    players: bool = True
    question: bool = False
    """The heading is a question, and longer."""
    edit_width: float = 0.0
    """Width in pixels of the keys that add and remove a card; 0 without them."""


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """The layout for one window size."""

    width: float
    height: float
    columns: int
    rows: int
    gap: float
    boxes: dict[str, Box]
    """Each visible part, measured from the sheet's lower left corner."""

    def cell(self) -> tuple[float, float]:
        """Return width and height in pixels of a card to choose."""
        grid = self.boxes["cards"]
        width = (grid.width - (self.columns - 1) * self.gap) / self.columns
        return width, (grid.height - (self.rows - 1) * self.gap) / self.rows


@dataclass(frozen=True, slots=True)
class _Style:
    """One way to lay out the sheet, in pixels."""

    columns: int
    rows: int
    target: float
    """Least width and height of a touch target."""
    gap: float
    pad: float
    space: float
    margin: float
    """Space outside the sheet, left and right together; also above and below together."""
    ruling: bool = False
    """Whether there is room for the ruling. If not, the table screen shows it."""
    shares: bool = False
    """Whether players and buttons share a row, as on a phone on its side."""
    compact: bool = False
    """Whether the keys that add and remove stand beside the event's cards, not beside the heading."""


def plan_sheet(width: float, height: float, unit: float, dp: float, parts: Parts) -> SheetPlan:
    """Return the roomiest layout in which everything fits and the 52 cards are full touch targets.

    Args:
        width: Width of the window in pixels.
        height: Height of the window in pixels.
        unit: Pixels of one design unit (type and paddings).
        dp: Pixels of one dp; a target is 48 of them (Material Design 3, "Touch and pointer target sizes").
        parts: The parts to show.
    """
    plan = None
    for style in _styles(width, height, unit, dp):
        plan = _laid_out(width, unit, style, parts)
        full = not parts.cards or min(plan.cell()) >= 48 * dp - 0.01
        if full and plan.height <= height - style.margin + 0.01:
            return plan
    assert plan is not None
    return _squeezed(plan, height)


def _styles(width: float, height: float, u: float, dp: float) -> Iterator[_Style]:
    """Yield the styles: upright with four or seven cards in a row, otherwise with thirteen."""
    target = max(48 * dp, 48 * u)
    if height > width:
        tight = _Style(4, 13, target, gap=2 * u, pad=10 * u, space=4 * u, margin=16 * u)
        yield tight
        compact = replace(tight, columns=7, rows=8, target=48 * dp, gap=2 * dp, pad=6 * dp, space=3 * dp)
    else:
        if height >= 560 * u:
            yield _Style(13, 4, target, gap=4 * u, pad=16 * u, space=8 * u, margin=16 * u, ruling=True)
        tight = _Style(13, 4, target, gap=2 * u, pad=10 * u, space=4 * u, margin=8 * u, shares=True)
        yield tight
        compact = replace(tight, target=48 * dp, gap=dp, pad=2 * dp, space=3 * dp)
    yield replace(compact, margin=0, compact=True)


def _laid_out(width: float, u: float, style: _Style, parts: Parts) -> SheetPlan:
    """Stack the parts in this style, whether they fit or not."""
    widest = max(style.columns * (style.target + style.gap) + 2 * style.pad, 720 * u)
    sheet_width = min(width - style.margin, widest)
    heights = _heights(u, style, parts)
    shown = sum(h > 0 for h in heights.values())
    total = sum(heights.values()) + style.space * max(0, shown - 1) + 2 * style.pad
    inner, top, boxes = sheet_width - 2 * style.pad, total - style.pad, {}
    for name, part_height in heights.items():
        if part_height:
            boxes[name] = Box(style.pad, top - part_height, inner, part_height)
            top -= part_height + style.space
    _share_rows(boxes, style, parts)
    return SheetPlan(sheet_width, total, style.columns, style.rows, style.gap, boxes)


def _heights(u: float, style: _Style, parts: Parts) -> dict[str, float]:
    """Return the height of each row in pixels, from the top; 0 for parts left out."""
    beside_heading = parts.edit_width and not (style.compact and parts.several)
    strip = style.target if style.compact else (74 if style.ruling else 50) * u
    return {
        "heading": style.target
        if beside_heading
        else (72 if parts.question else 26 if style.compact else 32) * u,
        "ruling": 58 * u if parts.ruling and style.ruling else 0,
        "strip": max(strip, style.target) if parts.several else 0,
        "hint": (22 if parts.cards else 44) * u if parts.hint and not (style.compact and style.shares) else 0,
        "cards": style.rows * (style.target + style.gap) - style.gap if parts.cards else 0,
        "players": style.target if parts.players else 0,
        "bar": 0 if style.shares and parts.players else style.target,
    }


def _share_rows(boxes: dict[str, Box], style: _Style, parts: Parts) -> None:
    """Put parts that share a row side by side."""
    if parts.edit_width:
        beside = "strip" if style.compact and parts.several else "heading"
        boxes[beside], boxes["edit"] = _split(boxes[beside], parts.edit_width, 2 * style.space)
    if parts.hint and "hint" not in boxes:
        heading = boxes["heading"]
        boxes["heading"], boxes["hint"] = _split(heading, 0.55 * heading.width, style.space)
    if style.shares and parts.players:
        row = boxes["players"]
        boxes["players"], boxes["bar"] = _split(row, 0.44 * row.width, style.space)


def _split(box: Box, right_width: float, space: float) -> tuple[Box, Box]:
    left = Box(box.x, box.y, box.width - right_width - space, box.height)
    return left, Box(box.x + box.width - right_width, box.y, right_width, box.height)


def _squeezed(plan: SheetPlan, height: float) -> SheetPlan:
    """In a window smaller than any phone, shrink the cards and not the buttons."""
    surplus = plan.height - height
    if surplus <= 0 or "cards" not in plan.boxes:
        return plan
    grid = plan.boxes["cards"]
    surplus = min(surplus, grid.height / 2)
    boxes = {
        name: box._replace(y=box.y - surplus) if box.y > grid.y else box for name, box in plan.boxes.items()
    }
    boxes["cards"] = grid._replace(height=grid.height - surplus)
    return replace(plan, height=plan.height - surplus, boxes=boxes)
