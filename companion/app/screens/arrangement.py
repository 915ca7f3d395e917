"""Positions of the table screen's panels in any window. Plain arithmetic, free of Kivy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in window pixels; y grows upwards, as in Kivy."""

    x: float
    y: float
    width: float
    height: float


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes share more than an edge."""
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The table screen's panels for one window size."""

    unit: float
    """Pixels of one design unit. Type sizes and paddings are multiples of it."""
    portrait: bool
    live: Box
    banner: Box
    turn: Box
    players: Box
    log: Box
    bar: Box
    main_unit: float
    """Pixels of one unit of the most important texts: the turn, the demand, the ruling."""
    crowded: bool
    """Whether minor texts are left out, because large type leaves no room for them."""
    around: bool
    """Whether the players sit around the table that is drawn in place of a picture, in the same box."""
    in_one_row: bool
    """Whether a small phone names the players in one row, so that the picture is as wide as the phone."""

    @property
    def panels(self) -> dict[str, Box]:
        """Return every panel by name."""
        names = ("live", "banner", "turn", "players", "log", "bar")
        return {name: getattr(self, name) for name in names}


def arrange(
    width: float,
    height: float,
    dp: float = 1.0,
    players: int = 4,
    type_scale: float = 1.0,
    *,
    watched: bool = True,
) -> Arrangement:
    """Return the panels for a window of `width` x `height` pixels at `dp` pixels per dp.

    A log of height 0 is not shown. If nothing is `watched`, a wide window draws the table in place of a
    picture.

    Type grows with the window. If there is room for all panels, it has at least 0.9 dp times the user's
    `type_scale`; in smaller windows it shrinks. If larger type has no room, the log, part of the picture and
    minor texts give way, and the plan is `crowded`. Touch targets keep their size in dp.
    """
    place = _portrait if height > width else _landscape

    def largest(most: float, *, crowded: bool) -> Arrangement:
        return _largest(
            lambda unit: place(width, height, unit, dp, players, crowded=crowded, watched=watched), most, dp
        )

    most = base_unit(width, height, dp, type_scale)
    plan = largest(most, crowded=False)
    plain = largest(base_unit(width, height, dp), crowded=False).unit
    main_unit = min(most, plain * type_scale)
    if main_unit > _CROWDED_FROM * plan.unit:
        crowded = largest(main_unit, crowded=True)
        if crowded.unit >= plan.unit:
            return replace(crowded, main_unit=main_unit)
    return plan


def _largest(place: Callable[[float], Arrangement], most: float, dp: float) -> Arrangement:
    """Return the plan with the largest unit, up to `most`, in which each panel has its room."""
    plan, too_large = place(most), most
    while not _has_room(plan) and plan.unit > 0.2 * dp:
        too_large = plan.unit
        plan = place(0.97 * plan.unit)
    for _halving in range(24 if plan.unit < most else 0):
        between = place((plan.unit + too_large) / 2)
        if _has_room(between):
            plan = between
        else:
            too_large = between.unit
    return plan


_CROWDED_FROM = 1.08
"""Factor by which type must exceed the available room before texts are left out."""
_PHONE_WIDTH_DP = 340
"""Height of the smallest phone on its side, without the navigation."""


_LEAST_PICTURE_DP = 128
"""Least height of an upright phone's picture with large type: a question and its answers fit beside it."""
_LEAST_ASKED_DP = 80
"""Least height of a question over one row of answers."""
_QUESTION_WIDTH_DP, _QUESTION_UNITS = 170, 190
"""Minimum width of a question: three card answers side by side fit."""
ANSWER_DP, ANSWER_UNITS = 48, 54
"""Minimum width of a card answer."""
PICTURE_UNITS, WIDE_PICTURE_UNITS = 170, 250
"""Least height of the picture on a phone without room for the log: usual, and above players in one row."""
_TABLE_RULING, _TABLE_UNITS = 0.24, 340
"""Share of the height for the ruling below a table that is drawn, and the table's least height."""
_MOST_IN_ONE_ROW = 4
"""Most players in one row on a phone, each with name and hand alone."""
ONE_ROW_UNITS = 620
"""Least width for all players in one row."""
ROW_MARGIN_UNITS, TITLE_UNITS, DETAIL_UNITS = 84, 16, 19
"""Width of a log row's margins, type size of its title, height of its second line."""


def base_unit(width: float, height: float, dp: float, type_scale: float = 1.0) -> float:
    """Return the pixels of one design unit for a screen that can scroll.

    Larger type counts in every window, smaller type only in windows that are not large themselves.
    """
    reference = (400, 860) if height > width else (1280, 720)
    by_window = min(width / reference[0], height / reference[1])
    return max(0.9 * dp * type_scale, by_window * max(1.0, type_scale))


def _has_room(plan: Arrangement) -> bool:
    """Return whether no panel is squeezed out."""
    u = plan.unit
    least = {"live": 100 * u, "log": max(46 * u, 24.0), "banner": 100 * u, "turn": 170 * u}
    if plan.crowded:
        least = {"live": 90 * u, "banner": 118 * u, "turn": 150 * u}
    elif not plan.log.height:  # another panel takes its room
        least["log"] = 0.0
        if plan.portrait:
            picture = WIDE_PICTURE_UNITS if plan.in_one_row else PICTURE_UNITS
            least["live"] = min(plan.live.width * 9 / 16, picture * u)
        else:
            least["turn"] = (178 + 12 + 46) * u
    if plan.around:
        least["live"] = _TABLE_UNITS * u
    return all(plan.panels[name].height >= height - 0.01 for name, height in least.items())


def _portrait(
    width: float, height: float, u: float, dp: float, players: int, *, crowded: bool, watched: bool
) -> Arrangement:
    """Stack the panels. The picture spans the width, and the log takes the rest.

    If the rest is less than a row, the picture takes it; the log has a screen of its own. Then the players
    stand in one row, since the picture shows their cards.
    """
    gap, side = 8 * u, 8 * u
    inner = width - 2 * side
    bar_height = max(48 * dp, 52 * u)
    row = max(56 * u, 48 * dp + 7 * u)  # a player's cell is a touch target
    fixed = {"banner": 132 * u, "turn": 186 * u, "players": _player_rows(players, 2) * row}
    free = height - sum(fixed.values()) - bar_height - 5 * gap
    live_height = min(width * 9 / 16, free - gap - max(50 * u, 30.0))
    listed = not crowded and free - gap - live_height >= _log_row(u, dp)
    one_row = watched and not crowded and not listed and players <= _MOST_IN_ONE_ROW
    if crowded:
        free += fixed["turn"] - 160 * u + fixed["banner"] - 118 * u
        live_height = min(width * 9 / 16, max(free, _LEAST_PICTURE_DP * dp))
        more = free - live_height
        fixed |= {"turn": 160 * u + 0.6 * more, "banner": 118 * u + 0.4 * more}
    elif not listed:
        if one_row:
            free, fixed["players"] = free + fixed["players"] - row, row
        live_height = min(width * 9 / 16, free)
        fixed["banner"] += max(0.0, free - live_height)
    top = height - live_height
    boxes = {"live": Box(0, top, width, live_height)}
    for name, panel_height in fixed.items():
        top -= gap + panel_height
        boxes[name] = Box(side, top, inner, panel_height)
    bar = Box(side, gap, inner, bar_height)
    log_bottom = bar.y + bar.height + gap
    log = Box(side, log_bottom, inner, max(0.0, top - gap - log_bottom) if listed else 0.0)
    return Arrangement(
        u, True, **boxes, log=log, bar=bar, main_unit=u, crowded=crowded, around=False, in_one_row=one_row
    )


def _landscape(
    width: float, height: float, u: float, dp: float, players: int, *, crowded: bool, watched: bool
) -> Arrangement:
    """Put picture and ruling on the left, turn and log on the right.

    In a low window the log is left out if it would be less than a row.
    """
    gap, side = 12 * u, 16 * u
    low = height < 600 * dp
    right_width = min(max(0.36 * width, 340 * u if low else 400 * u), 0.5 * width)
    left_width = width - right_width - 2 * side - gap
    left, right = side, side + left_width + gap
    inner = height - 2 * side
    # In a low window (a phone on its side) the players move to the right, and the log shrinks.
    row = max(45 * u, 48 * dp + 7 * u) if height >= _PHONE_WIDTH_DP * dp else 45 * u
    one_row = not low and left_width > ONE_ROW_UNITS * u
    players_height = 82 * u if one_row else _player_rows(players, 2) * row
    banner_least = 126 * u if low else 144 * u
    below = banner_least + gap + (0 if low else players_height + gap)
    live_height = min(left_width * 9 / 16, inner - below)
    live = Box(left, side + inner - live_height, left_width, live_height)
    bar = Box(right, side, right_width, max(48 * dp, 56 * u))
    turn_height = 178 * u if low else 222 * u
    log_bottom = bar.y + bar.height + gap
    if low:
        log_height = inner + side - turn_height - gap / 2 - players_height - gap - log_bottom
        if crowded or log_height < _log_row(u, dp):  # less than a row: the turn panel takes it
            turn_height, log_height = turn_height + log_height + gap, 0.0
    elif crowded:
        turn_height = inner - bar.height - gap
    turn = Box(right, side + inner - turn_height, right_width, turn_height)
    if low:
        banner = Box(left, side, left_width, inner - live_height - gap)
        player_box = Box(right, turn.y - gap / 2 - players_height, right_width, players_height)
    else:
        player_box = Box(left, side, left_width, players_height)
        banner_bottom = side + players_height + gap
        banner = Box(left, banner_bottom, left_width, live.y - gap - banner_bottom)
        log_height = 0.0 if crowded else max(0.0, turn.y - gap - log_bottom)
    around = not (watched or low)
    if around:  # the table takes all of the left but the ruling
        banner = Box(left, side, left_width, max(banner_least, _TABLE_RULING * inner))
        live = player_box = Box(left, banner.y + banner.height + gap, left_width, inner - banner.height - gap)
    log = Box(right, log_bottom, right_width, log_height)
    boxes = {"live": live, "banner": banner, "turn": turn, "players": player_box, "log": log, "bar": bar}
    return Arrangement(u, False, **boxes, main_unit=u, crowded=crowded, around=around, in_one_row=False)


def _log_row(u: float, dp: float) -> float:
    """Return the height of a log panel that shows one whole row."""
    return max(48 * dp, 50 * u) + 8 * u


def beside_question(live: Box, unit: float, dp: float) -> tuple[Box, Box]:
    """Divide the picture's box between picture and question, so that nothing covers the picture.

    The question stands beside the picture or in one line below it, whichever leaves a larger picture.

    Returns:
        The boxes of picture and question.
    """
    line = max(48 * dp, 48 * unit) + 8 * unit
    width = max(_QUESTION_WIDTH_DP * dp, _QUESTION_UNITS * unit)
    beside = min(live.width - width, live.height * 16 / 9)
    if beside >= min(live.width, (live.height - line) * 16 / 9):
        picture = Box(live.x, live.y, beside, live.height)
        return picture, Box(live.x + beside, live.y, live.width - beside, live.height)
    picture = Box(live.x, live.y + line, live.width, live.height - line)
    return picture, Box(live.x, live.y, live.width, line)


def under_ruling(
    live: Box, banner: Box, unit: float, dp: float, *, quoted: bool = False, asked: bool = False
) -> tuple[Box, Box, Box]:
    """Make room for a row of choices under the ruling: the picture above gives it up, as far as it can.

    Args:
        live: Box of the picture.
        banner: Box of the ruling.
        unit: Design unit, pixels.
        dp: Pixels of a density-independent pixel.
        quoted: Whether a house rule, which is a choice too, stands above the others.
        asked: Whether a question stands beside the picture. On a small screen the choices wait until it is
            answered.

    Returns:
        The boxes of picture, ruling and choices.
    """
    target = max(48 * dp, 48 * unit)
    row = 2 * target + 6 * unit if quoted else target
    if asked and live.height - row - 6 * unit < _LEAST_ASKED_DP * dp:
        return live, banner, Box(banner.x, banner.y, 0, 0)
    given = min(row + 6 * unit, max(0.0, live.height - 60 * unit))
    raised = banner._replace(y=banner.y + given, height=banner.height)
    choices = Box(banner.x, banner.y + given - row - 3 * unit, banner.width, row)
    if given < row:  # the ruling is covered in part, and can be read again after a tap
        choices = choices._replace(y=banner.y)
    return live._replace(y=live.y + given, height=live.height - given), raised, choices


def rows_needed(widths: Sequence[float], gap: float, room: float) -> int:
    """Return the number of rows for items of these widths, with `gap` between them, in a width of `room`."""
    rows, taken = 0, math.inf
    for width in widths:
        taken += gap + width
        if taken > room:
            rows, taken = rows + 1, width
    return rows


_MM_A_DP = 25.4 / 160
_CAPITALS_EM = 0.711
"""Height of Roboto's capitals in em."""
_LETTER_MINUTES = 5.0
"""Size of the smallest letter for normal eyes, in minutes of arc (Snellen 1862; ISO 8596)."""


def legible_dp(metres: float, acuity: float) -> float:
    """Return the type size in dp whose capitals can just be read from a distance.

    Args:
        metres: Distance of the reader.
        acuity: Visual acuity: 1 is normal (20/20), 0.5 reads at 20 feet what others read at 40.
    """
    capitals_mm = 1000 * metres * math.tan(math.radians(_LETTER_MINUTES / 60)) / acuity
    return capitals_mm / _CAPITALS_EM / _MM_A_DP


def stacked(least: Sequence[float], shares: Sequence[float], room: float) -> list[float]:
    """Return the heights of stacked items in `room`: by `shares`, but none below its `least` height.

    An item with a least height of 0 gets none. If the least heights exceed the room, the sum does too.
    """
    heights = list(least)
    free = [place for place, height in enumerate(least) if height]
    while free:
        left = room - sum(height for place, height in enumerate(heights) if place not in free)
        unit = left / sum(shares[place] for place in free)
        short = [place for place in free if unit * shares[place] < least[place]]
        if not short:
            for place in free:
                heights[place] = unit * shares[place]
            break
        free = [place for place in free if place not in short]
    return heights


def _player_rows(players: int, columns: int) -> int:
    return max(1, -(-players // columns))


def seat_places(count: int, width: float, height: float) -> list[tuple[float, float]]:
    """Return the centre of each seat in a box, y upwards: the first at the bottom edge, then clockwise."""
    turns = [-math.pi / 2 - 2 * math.pi * seat / max(1, count) for seat in range(count)]
    return [(width / 2 * (1 + math.cos(turn)), height / 2 * (1 + math.sin(turn))) for turn in turns]


_SEAT_UNITS, _SEAT_WIDTH, _SEAT_GAP_UNITS = (210, 84), 0.24, 10
"""Size of a seat at a drawn table, its most share of the table's width, and the gap around it."""
_MIDDLE_WIDTH = 0.25
"""Least share of a drawn table's width between the seats at its sides."""
_EDGE = 0.2
"""Share of the height within which a seat counts as one at the upper or the lower edge."""


def around_table(table: Box, unit: float, players: int) -> tuple[list[Box], Box]:
    """Return the players' boxes around a drawn table, and the box in its middle.

    The first player sits at the bottom edge, the others clockwise.
    """
    gap = _SEAT_GAP_UNITS * unit
    places = seat_places(players, 1.0, 1.0)
    width, height = min(_SEAT_UNITS[0] * unit, _SEAT_WIDTH * table.width), _SEAT_UNITS[1] * unit
    inward = max((min(x, 1 - x) for x, y in places if _EDGE <= y <= 1 - _EDGE), default=0.0)
    beside = (1 - _MIDDLE_WIDTH) / 2 * table.width - 2 * gap - inward * (table.width - 2 * gap)
    width = min(width, beside / (1 - inward))
    left, right, bottom, top = (
        table.x + gap,
        table.x + table.width - gap,
        table.y + gap,
        table.y + table.height - gap,
    )
    room = right - left - width, top - bottom - height
    seats, middle = [], [left, right, bottom, top]
    for x, y in places:
        seat = Box(left + x * room[0], bottom + y * room[1], width, height)
        seats.append(seat)
        if y < _EDGE:
            middle[2] = max(middle[2], seat.y + height + gap)
        elif y > 1 - _EDGE:
            middle[3] = min(middle[3], seat.y - gap)
        elif x < 0.5:
            middle[0] = max(middle[0], seat.x + width + gap)
        else:
            middle[1] = min(middle[1], seat.x - gap)
    return seats, Box(middle[0], middle[2], middle[1] - middle[0], middle[3] - middle[2])
