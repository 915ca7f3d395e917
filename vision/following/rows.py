"""The rows before the seats: which face-up card lies on which spot, and when a card came or went."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from engine.cards import all_copies_among, copies
from vision.following.certainty import FAIRLY_LIKELY, SURE
from vision.following.looks import AGREEING_LOOKS, LATEST_LOOKS
from vision.following.patches import OTHER_SHARE, Patch, changed_share
from vision.table.layout import Zone
from vision.table.observations import MIN_NAME_P, Observation, assign_names, fuse_looks

_REMEMBERED_LOOKS = 8
"""Number of looks at a spot that are kept."""
_RENAMING_LOOKS, _RENAMED_LOOKS = 5, 4
"""A card of the deal is renamed after the first number of looks, if the second number show the other one."""
_SHOWN_LOOKS = 3
"""After this many looks beside or under a hand, another card counts as lying on a spot."""
_BARE_SHARE = 0.2
"""More than this share of a spot changes when its card goes; less changes beside a neighbour's card."""
_RENAMED = 0.7
"""Many looks rename a card of the deal from this probability on; if the deal was surer, they must be, too."""
_STAYS_LIKELIER = 8.0
"""How much likelier than any other card the face-up card of a spot is, before it is read."""
_LONG_HIDDEN_SECONDS = 3.0
"""An exchange takes longer than this, hesitation included. Taking a card up and playing it does not."""
_JUST_SECONDS = 0.4
"""A face-up card that was read under an arm still lies there for this long."""


@dataclass(slots=True)
class Spot:
    """One spot of a row."""

    up: str | None
    """The face-up card here; None if there is none."""
    down: bool = True
    """Whether a face-down card lies here (or under the face-up card)."""
    looks: list[list[Observation]] = field(default_factory=list)
    """Looks since a hand was last over it."""
    touched: float | None = None
    """When a hand was last over it; None once that is decided."""
    left: float = 0.0
    """When the hand before the last decision had left."""
    patch: Patch | None = None
    """Its picture at the last decision."""
    latest: Patch | None = None
    """Its latest picture."""
    under_arm: float = -math.inf
    """When the face-up card was last surely read in its place, partly under an arm."""
    hidden_since: float = math.inf
    """Since when it has not been seen, if that was before the game began; otherwise infinite."""
    shown: list[Observation] = field(default_factory=list)
    """The latest looks, while they surely show one card here, perhaps under a hand."""
    shown_since: float = -math.inf
    """When that card first showed."""
    put_right: bool = False
    """Whether a person has moved it: cards found there have come by no act."""

    def looks_until_bare(self, *, changed: bool) -> int:
        """Return how many looks must show no card before the face-down card counts as gone.

        Nobody takes a face-up card and the one under it at once. More likely something lies over them.
        `changed`: a picture shows that the spot has changed, so the looks did not just overlook a card.
        """
        if self.up is not None:
            return _REMEMBERED_LOOKS
        return AGREEING_LOOKS + (1 if changed and self.patch is not None else 2)

    @property
    def may_be_exchanged(self) -> bool:
        """Whether another card may lie here, because the spot was hidden for long during exchanges.

        A hand that takes a card from here hides it only for a moment.
        """
        return self.touched is not None and self.touched - self.hidden_since >= _LONG_HIDDEN_SECONDS

    @property
    def is_seen(self) -> bool:
        """Whether the card here is known, though a hand may rest over it."""
        shows = len(self.shown) >= _SHOWN_LOOKS and self.shown[-1].best[0] == self.up
        return self.touched is None or shows

    @property
    def seems_bare(self) -> bool:
        """Whether a lone face-down card seems gone: looks show nothing, and the picture has changed.

        These are fewer looks than a decision needs.
        """
        if self.up is not None or not self.down or self.put_right or len(self.looks) < AGREEING_LOOKS:
            return False
        pictured = self.patch is not None and self.latest is not None
        return pictured and not any(self.looks) and changed_share(self.latest, self.patch) >= _BARE_SHARE

    @property
    def shows_up_card(self) -> bool:
        """Whether the last look since something was over it shows its face-up card again."""
        return bool(self.looks) and any(seen.best[0] == self.up for seen in self.looks[-1])


@dataclass(frozen=True, slots=True)
class Change:
    """A change at a spot."""

    zone: Zone
    before: str | None
    after: str | None
    down_gone: bool
    t: float
    """When the hand left it."""


class Rows:
    """All spots of all seats."""

    def __init__(self, up: Sequence[Sequence[str | None]], packs: int, surely: float) -> None:
        """Begin with each seat's face-up cards (None: none), which have at least the probability `surely`."""
        self._packs, self._surely = packs, surely
        self._t = -math.inf
        self._renamed: list[tuple[Zone, str]] = []
        """Face-up cards of corrected rows that have other names than was believed."""
        self._left: Counter[str] = Counter()
        """The face-up cards that have left their spots, and have not come to one again."""
        self.spots = {
            Zone("row", seat, spot): Spot(card)
            for seat, row in enumerate(up)
            for spot, card in enumerate(row)
        }

    def up_of(self, seat: int) -> list[str]:
        """Return the face-up cards in front of a seat, left to right."""
        return [spot.up for zone, spot in self.spots.items() if zone.seat == seat and spot.up]

    def down_of(self, seat: int) -> int:
        """Return how many face-down cards a seat has."""
        return sum(spot.down for zone, spot in self.spots.items() if zone.seat == seat)

    def owners(self, card: str) -> list[Zone]:
        """Return the spots where a card lies face up: at most one for each pack."""
        return [zone for zone, spot in self.spots.items() if spot.up == card]

    def undisturbed(self) -> list[str]:
        """Return the face-up cards that no hand came near since they were seen, or that show under one."""
        return [spot.up for zone, spot in self.spots.items() if spot.up and self.is_undisturbed(zone)]

    def is_undisturbed(self, zone: Zone) -> bool:
        """Return whether no hand has been near a spot since it was seen, or its card shows under one."""
        spot = self.spots[zone]
        return spot.touched is None or self._t - spot.under_arm <= _JUST_SECONDS

    def look_under_arms(self, under_arms: Iterable[tuple[Zone | None, Observation]], t: float) -> None:
        """Take in the cards at rest under arms, each with its zone.

        A card that shows little may have several likely names. The undisturbed cards elsewhere rule some of
        them out.
        """
        self._t = t
        untouched = (spot.up for spot in self.spots.values() if spot.up and spot.touched is None)
        elsewhere = all_copies_among(untouched, self._packs)
        for zone, seen in under_arms:
            spot = self.spots.get(zone) if zone is not None else None
            if spot is None:
                continue
            name, p = assign_names([seen], elsewhere)[0]
            if name == spot.up and p > SURE:
                spot.under_arm = t

    def look_beside_hand(self, zone: Zone, card: Observation, t: float) -> Change | None:
        """Take in a card that shows at a spot beside or under a hand; return the change there, if any.

        If no hand has been there since the spot was seen, a card with another name is misread.
        """
        spot, (name, p) = self.spots[zone], card.best
        if card.face != "up" or name is None or p <= SURE:
            spot.shown.clear()
            return None
        same = bool(spot.shown) and spot.shown[-1].best[0] == name and spot.shown[-1].is_at(card)
        spot.shown = [*spot.shown[-_SHOWN_LOOKS:], card] if same else [card]
        spot.shown_since = spot.shown_since if same else t
        if len(spot.shown) < _SHOWN_LOOKS or name == spot.up or spot.touched is None:
            return None
        if len(self.owners(name)) >= copies(name, self._packs):
            return None
        change = Change(zone, spot.up, name, False, spot.shown_since)
        spot.up, spot.patch = name, None
        return self._noted(change)

    def touch(self, zone: Zone, t: float) -> Change | None:
        """Note that something is over a spot; return what had gone before, if it is back so soon."""
        spot, gone = self.spots[zone], None
        if spot.touched is not None and spot.seems_bare:
            gone = Change(zone, None, None, True, spot.touched)
            spot.down, spot.left, spot.patch = False, spot.touched, spot.latest
        spot.touched = t
        spot.looks.clear()
        return gone

    def put_right(self, seat: int, t: float) -> None:
        """Look again at all spots of a seat, which a person has moved."""
        for zone, spot in self.spots.items():
            if zone.seat == seat:
                spot.patch, spot.put_right = None, True  # first, so that no card seems taken from it
                self.touch(zone, t)

    def look(
        self, zone: Zone, cards: list[Observation], patch: Patch | None = None, *, exchange: bool = True
    ) -> Change | None:
        """Take in one look at an uncovered spot; return the change there, once it is sure.

        One face-up card replaces another only while cards are exchanged. Later the second card is held over
        the spot or laid there for a moment.
        """
        spot = self.spots[zone]
        spot.looks, spot.latest = [*spot.looks[-_REMEMBERED_LOOKS + 1 :], cards], patch
        shown = next(
            (seen.best[0] for seen in cards if seen.face == "up" and seen.best[1] > FAIRLY_LIKELY), None
        )
        if spot.touched is None and (spot.up is not None or shown is None):
            spot.patch = patch
            return None
        if spot.touched is None:
            # A face-up card on a spot that seemed to have none: the looks after the hand missed it.
            spot.touched, spot.looks = spot.left, [cards]
        changed = changed_share(patch, spot.patch)
        same = changed < OTHER_SHARE
        if same and shown in (None, spot.up):
            spot.touched = None  # the reader may overlook a card, but here nothing has changed
            return None
        if len(spot.looks) < AGREEING_LOOKS:
            return None
        if spot.up is not None and any(spot.up == seen.best[0] for seen in spot.looks[-1]):
            spot.touched, spot.patch, spot.put_right = None, patch, False  # the card is still there
            return None
        settled = [
            s.observation for s in fuse_looks(spot.looks[-LATEST_LOOKS:]) if s.look_count >= AGREEING_LOOKS
        ]
        ups = [seen for seen in settled if seen.face == "up"]
        name, p = _named(ups, self._elsewhere(zone))
        if ups and (name is None or p < MIN_NAME_P):
            return None
        if changed < _BARE_SHARE and any(_STAYS_LIKELIER * seen.odds(spot.up or "") >= p for seen in ups):
            spot.touched, spot.patch, spot.put_right = None, patch, False  # most likely the same card
            return None
        if not (exchange or spot.put_right) and spot.up is not None and name not in (None, spot.up):
            return None
        # The reader sometimes overlooks a card that is there, but never sees one that is not.
        shows_back = sum(any(seen.face == "down" for seen in look) for look in spot.looks)
        down = name is not None or shows_back >= (1 if changed < _BARE_SHARE else AGREEING_LOOKS)
        if name is None and spot.up is not None and len(spot.looks) < AGREEING_LOOKS + 1:
            return None
        if (
            not down
            and spot.down
            and len(spot.looks) < spot.looks_until_bare(changed=patch is not None and not same)
        ):
            return None
        touched, spot.touched, spot.patch = spot.touched, None, patch
        if spot.put_right:
            self._take_as_it_lies(zone, spot, name, down)
            return None
        spot.left = touched
        if name == spot.up and down == spot.down:
            return None
        change = Change(zone, spot.up, name, spot.down and not down, touched)
        spot.up, spot.down = name, down
        return self._noted(change)

    def _elsewhere(self, zone: Zone) -> set[str]:
        """Return the face-up cards that surely lie on other spots than this one."""
        others = [(other, spot) for other, spot in self.spots.items() if other != zone]
        lying = (spot.up for other, spot in others if self.is_undisturbed(other) or spot.shows_up_card)
        return all_copies_among(filter(None, lying), self._packs)

    def _noted(self, change: Change) -> Change:
        """Return a change, and note the cards that left their spot and came to it."""
        if change.before != change.after:
            if change.before is not None:
                self._left[change.before] += 1
            if change.after is not None and self._left[change.after]:
                self._left[change.after] -= 1
        return change

    def _take_as_it_lies(self, zone: Zone, spot: Spot, up: str | None, down: bool) -> None:
        """Note the cards on a spot of a corrected row: they were there all along."""
        spot.put_right = False
        renamed = up is not None and spot.up is not None and up != spot.up
        if up is not None and up != spot.up and len(self.owners(up)) >= copies(up, self._packs):
            return
        spot.up, spot.down = up, down
        if renamed:
            self._renamed.append((zone, str(up)))

    def better_names(self) -> list[tuple[Zone, str]]:
        """Rename undisturbed face-up cards if many looks agree on another name; return what changed.

        They must be surer of it than the deal was, because these looks are quicker than those at the deal. A
        card that has left its spot is not under another name where no hand has been.
        """
        renamed, self._renamed = self._renamed, []
        for zone, spot in self.spots.items():
            if spot.up is None or spot.touched is not None or len(spot.looks) < _RENAMING_LOOKS:
                continue
            if all(seen.best[0] == spot.up for look in spot.looks for seen in look if seen.face == "up"):
                continue  # no look names another card: nothing need be fused
            ups = [
                s.observation
                for s in fuse_looks(spot.looks)
                if s.look_count >= _RENAMED_LOOKS and s.observation.face == "up"
            ]
            if any(seen.best[0] == spot.up for seen in ups):
                continue  # another card is held out beside it, or lies there
            name, p = _named(ups)
            surer = name != spot.up and p > max(_RENAMED, self._surely)
            if name and surer and len(self.owners(name)) + self._left[name] < copies(name, self._packs):
                spot.up = name
                renamed.append((zone, name))
        return renamed


def _named(ups: Sequence[Observation], elsewhere: Collection[str] = frozenset()) -> tuple[str | None, float]:
    """Return the surest name among the face-up cards of one spot; other cards surely lie `elsewhere`."""
    names = assign_names(ups, elsewhere)
    return max(names, key=lambda named: named[1]) if names else (None, 0.0)
