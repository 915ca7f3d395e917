"""How cards on the pile lie to one another, as outlines tell: in one place, hidden, or two ends of one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.face_classes import rank_and_colour
from vision.slots import Seen, Settled, covers, index_places, turn_between

_IN_PLACE_MM, _IN_PLACE_DEGREES = 12.0, 10.0
_SAME_CARD_MM, _SAME_CARD_DEGREES = 9.0, 8.0
"""So little a card that is read twice seems to have moved, under a hand or just after one."""
_END_OUT_MM, _END_ASIDE_MM, _END_DEGREES = 20.0, 8.0, 12.0
"""So far off a card's place, along it and aside, and so far turned, each of its two ends may be drawn."""
_APART = 8.0, 90.0
"""Nearer than this, mm, two readings are of one place, however turned."""
_READ_AT_ALL, _BOTH_INDICES = 0.4, 0.9
"""A card of whose indices one alone is read is named at least, and at most, as surely as this."""


def in_place(known: Seen, seen: Seen) -> bool:
    """Tell whether a card lies where one is known to lie, as far as outlines can be trusted."""
    return known.is_at(seen, _IN_PLACE_MM, _IN_PLACE_DEGREES)


def same_card(first: Seen, second: Seen) -> bool:
    """Tell whether two readings, a moment apart, are of one card that lies there, whatever they name it."""
    return first.is_at(second, _SAME_CARD_MM, _SAME_CARD_DEGREES)


def hide(upper: Sequence[Seen], lower: Sequence[Seen], off: float = 0.0) -> bool:
    """Tell whether cards hide every index of lower ones; their outlines may miss it by `off` mm."""
    return all(any(covers(card, at, off) for card in upper) for place in lower for at in index_places(place))


def hides_part(upper: Seen, lower: Seen) -> bool:
    """Tell whether a card, if it lies upon another one, hides an index of that."""
    return any(covers(upper, at) for at in index_places(lower))


def are_two_ends(card: Seen, first: Seen, second: Seen) -> bool:
    """Tell whether two readings are of the two ends of a card that lies under another, across it.

    Each is drawn too far out, along the card, and on its own side.
    """
    turn = math.radians(card.angle)
    offsets = []
    for end in (first, second):
        x, y = end.x - card.x, end.y - card.y
        along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
        if turn_between(card.angle, end.angle) > _END_DEGREES or abs(across) > _END_ASIDE_MM:
            return False
        offsets.append(along)
    return offsets[0] * offsets[1] < 0 and max(map(abs, offsets)) <= _END_OUT_MM


def joined_ends(cards: Sequence[Settled]) -> list[Settled]:
    """Return what several looks see, with the two ends of a card outlined as two cards put together.

    That happens where a card lies across others whose edges run on beneath it. Of each end one index is read,
    so that neither is read surely; of two cards that lie so the upper one would be.
    """
    joined: list[Settled] = []
    for card in cards:
        other = next((end for end in joined if _are_ends_of_one(end.seen, card.seen)), None)
        if other is None:
            joined.append(card)
        else:
            joined[joined.index(other)] = Settled(
                _put_together(other.seen, card.seen), max(other.looks, card.looks)
            )
    return joined


def _are_ends_of_one(first: Seen, second: Seen) -> bool:
    names = [seen.best[0] for seen in (first, second) if _READ_AT_ALL <= seen.best[1] < _BOTH_INDICES]
    if len(names) < 2 or len({rank_and_colour(str(name)) for name in names}) > 1:
        return False
    surer = max(first, second, key=lambda seen: seen.best[1])
    between = Seen((first.x + second.x) / 2, (first.y + second.y) / 2, surer.angle, "up")
    return not first.is_at(second, *_APART) and are_two_ends(between, first, second)


def _put_together(first: Seen, second: Seen) -> Seen:
    """Return one card of whose ends these are, each read on its own."""
    odds = {name: first.odds[name] * second.odds[name] for name in first.odds.keys() & second.odds.keys()}
    total = sum(odds.values())
    angle = max(first, second, key=lambda seen: seen.best[1]).angle
    odds = {name: p / total for name, p in odds.items()} if total else {}
    return Seen((first.x + second.x) / 2, (first.y + second.y) / 2, angle, "up", odds)


def show_on_both_sides(upper: Seen, first: Seen, second: Seen) -> bool:
    """Tell whether two readings may be of the two ends of a card that lies just under another one.

    What is seen of it is outlined as a card on either side of the upper one, in the same direction.
    """
    middle = (first.x + second.x) / 2, (first.y + second.y) / 2
    apart = math.dist((first.x, first.y), (second.x, second.y))
    return (
        math.dist(middle, (upper.x, upper.y)) <= _IN_PLACE_MM
        and apart <= 2 * _END_OUT_MM
        and turn_between(first.angle, second.angle) <= _END_DEGREES
    )
