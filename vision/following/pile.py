"""The play pile: the cards on it, and what a few looks after a hand has left show about them.

Cards are identified by name first (each exists once) and by place second. Cards do not move by themselves,
and a card under others does not come out on top.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from engine.cards import copies
from vision.decks.card_classes import rank_and_colour, rank_of
from vision.following.certainty import CERTAIN, HARDLY, SURE
from vision.following.close_ups import NO_PICTURES, PicturePair
from vision.following.duplicates import (
    PileCard,
    joined_by_name,
    joined_ends,
    lies_alone,
    names_at,
    numbers_of,
    possible_numbers,
    top_of,
)
from vision.following.looks import AGREEING_LOOKS
from vision.following.pile_geometry import (
    OFF_MM,
    are_two_ends,
    hide,
    in_place,
    is_read_as,
    may_be_end,
    same_card,
    show_on_both_sides,
)
from vision.following.sets import (
    Lying,
    NewCard,
    is_drawn_through,
    is_duplicate_reading,
    is_read_as_one_of,
    may_be_one_of,
    named_like_mates,
    without_doubtful,
)
from vision.table.observations import (
    MIN_NAME_P,
    TAKEN_FACTOR,
    FusedObservation,
    Observation,
    assign_names,
    fuse_looks,
    weighed,
)
from vision.types import UNKNOWN_CARD

_STAYS_WEIGHT, _BURIED_MOVES, _TOP_MOVES, _OTHER_NAME_IN_PLACE = 0.05, 0.1, 0.5, 0.15
"""Weights of unlikely names for a card at a place. The first is for a card that plainly stays elsewhere. The
second is for one that is covered there or would have had to move, the third for the top card that would have
moved. The last is for a new name where another card lies."""


@dataclass(frozen=True, slots=True)
class PileView:
    """The pile as the looks since the last disturbance show it."""

    new: tuple[NewCard, ...]
    """Cards that did not lie there before."""
    old: tuple[str, ...]
    """Cards of the pile that are seen."""
    there: frozenset[int]
    """Their numbers on the pile, from 0 for the lowest."""
    cards: int
    """How many cards are seen in all."""
    looks: int
    unseen: Lying
    """Cards of the pile that are not seen, with their last places. Cards that surely still lie there beneath
    others are left out."""
    plain: tuple[str, ...]
    """Cards of the pile that are surely seen."""
    doubtful: tuple[NewCard, ...]
    """Cards that seem new but have another rank than those in `new`: most likely misread."""

    @property
    def confidence(self) -> float:
        """Probability that every new card is named correctly."""
        product = 1.0
        for card in self.new:
            product *= card.p
        return product


@dataclass(slots=True)
class Pile:
    """The play pile, bottom card first."""

    cards: list[PileCard] = field(default_factory=list)
    packs: int = 1
    """How many packs the game is played with."""

    @property
    def names(self) -> list[str]:
        """The names of the cards, bottom first."""
        return [card.name for card in self.cards]

    def note_picture(self) -> None:
        """Note that a picture of the uncovered pile was kept: it shows the cards that lie there now."""
        for card in self.cards:
            card.pictured = True

    def may_have_another(self, name: str) -> bool:
        """Return whether one more card of a name may come to lie here."""
        return self.names.count(name) < copies(name, self.packs)

    def view(
        self,
        looks: Sequence[Sequence[Observation]],
        taken: Collection[str],
        pictured: PicturePair = NO_PICTURES,
        ranks: Collection[str] = (),
        was: PicturePair | None = None,
    ) -> PileView:
        """Judge looks (oldest first) at the undisturbed pile.

        Args:
            looks: The cards in each look.
            taken: Names of cards that are known to lie elsewhere.
            pictured: Pictures of the pile before, and now.
            ranks: Ranks of the cards put down just now, if any.
            was: The same, perhaps under a hand; given if the places of all cards on the pile are well known.
        """
        # A card that shows only in part is not found in every look. Two looks are enough for a sure reading.
        settled = [
            s
            for s in joined_ends(joined_by_name(fuse_looks(looks), self.packs))
            if s.look_count >= min(len(looks), AGREEING_LOOKS) and s.observation.face == "up"
        ]
        staying = self._staying([s.observation for s in settled], pictured)
        put = {card.name for card in self.cards[-1:] if card.rank in ranks}
        likely = [self._weighed(s.observation, taken, pictured, staying, put) for s in settled]
        named = named_like_mates(assign_names(likely, packs=self.packs), likely, {*self.names} - put)
        claims = [
            (name if p >= MIN_NAME_P else None, p, s.observation)
            for s, (name, p) in zip(settled, named, strict=True)
        ]
        known = possible_numbers(self.cards, claims, self.packs, was)
        new: list[NewCard] = []
        old, plain = [], []
        for group, (name, p, seen), those in zip(settled, claims, known, strict=True):
            if name is not None and those:
                old.append(name)
                plain += [name] * (seen.probabilities[name] >= SURE)
            elif name is not None:
                # A card with the name of a pile card may be that card, badly outlined for once.
                another = name in self.names
                if (seen.probabilities[name] >= SURE and not another) or 2 * group.look_count > len(looks):
                    new.append(NewCard(name, seen.probabilities[name] if another else p, seen))
            elif not self.known_place(seen) and not self._is_read_as_known(seen) and _firm(group, len(looks)):
                new.append(NewCard(UNKNOWN_CARD, 0.5, seen))
        unseen = {c.name: c.place for c in self.cards if c.name not in old and c.name not in staying}
        lying = [(name, seen) for (name, _, seen), those in zip(claims, known, strict=True) if name and those]
        plainly = [(name, seen) for name, seen in lying if name in plain]
        new = self._without_known(new, unseen, plainly, pictured, lying)
        together = without_doubtful(new, unseen, pictured, ranks, self.names)
        doubtful = [c for c in new if c not in together and not may_be_one_of(unseen, c)]
        return PileView(
            new=tuple(together),
            old=tuple(old),
            there=frozenset[int]().union(*known),
            cards=len(settled),
            looks=len(looks),
            unseen=unseen,
            plain=tuple(plain),
            doubtful=tuple(doubtful),
        )

    def _without_known(
        self,
        new: Sequence[NewCard],
        unseen: Lying,
        plain: Sequence[tuple[str, Observation]],
        pictured: PicturePair,
        old: Sequence[tuple[str, Observation]],
    ) -> list[NewCard]:
        """Return the new cards, without those that are more likely cards of the pile, misread or moved."""
        half_covered = [(card.name, card.place) for card in self.cards if card.name in unseen and card.place]
        top_is_bare = bool({card.name for card in self.top} & {name for name, _ in plain})
        moved = top_is_bare and any(name not in names_at(seen, self.cards) for name, seen in plain)
        return [
            card
            for card in new
            if not (top_is_bare and (is_read_as_one_of(unseen, card) or self._is_of_top(card, unseen)))
            and not (moved and unseen and card.name == UNKNOWN_CARD)
            and not (top_is_bare and card.name == UNKNOWN_CARD and _is_partly_hidden(card.seen, unseen))
            and not self._is_top_misread(card, new, unseen)
            and not is_drawn_through(card, unseen)
            and (
                pictured.shows_new(card.seen)
                or (self.shows_another(card) and pictured.looks_otherwise(card.seen))
                or not (
                    is_duplicate_reading(card, plain, rank_and_colour)
                    or is_duplicate_reading(card, half_covered, rank_of)
                )
            )
            and not self._is_other_end(card, old, plain if top_is_bare else (), new)
        ]

    def _is_of_top(self, card: NewCard, unseen: Collection[str]) -> bool:
        """Return whether a new card is one of the top set, misread after a hand straightened it.

        A card that was put on the set would be read well.
        """
        kind = rank_and_colour(card.name)
        return card.read < SURE and any(
            lay.name in unseen and rank_and_colour(lay.name) == kind for lay in self.top
        )

    def _is_other_end(
        self,
        card: NewCard,
        old: Sequence[tuple[str, Observation]],
        plain: Sequence[tuple[str, Observation]],
        new: Sequence[NewCard],
    ) -> bool:
        """Return whether a new card is one end of a card of the pile, its suit misread.

        If a card lies across another, the two ends of the lower one are outlined as two cards, each too far
        out. If the top card is among the `plain` ones, it may hide the middle of a card that a hand has
        straightened. A certain one of the `new` cards may hide it, too. A name that is a guess may have
        either colour.
        """
        seen = card.seen
        if card.read >= CERTAIN:
            return False
        kind = rank_and_colour if card.read >= SURE else rank_of
        alike = [(other, end) for other, end in old if kind(other) == kind(card.name)]
        ends = [(self.cards[k].place, end) for other, end in alike for k in numbers_of(other, self.cards)]
        upper = [on for other, on in plain if other == self.cards[-1].name]
        upper += [other.seen for other in new if other.read >= CERTAIN]
        if any(show_on_both_sides(on, end, seen) for on in upper for _, end in alike if end is not on):
            return True
        return any(place is not None and are_two_ends(place, end, seen) for place, end in ends)

    def _is_top_misread(self, card: NewCard, new: Sequence[NewCard], unseen: Collection[str]) -> bool:
        """Return whether a new card is the top card under a card of another rank, its suit misread."""
        top = self.cards[-1] if self.cards else None
        if top is None or top.place is None or top.name not in unseen or top.rank != card.rank:
            return False
        covered = any(other.p > card.p and other.rank != card.rank for other in new)
        return covered and card.p < CERTAIN and same_card(top.place, card.seen)

    @property
    def top(self) -> list[PileCard]:
        """The top cards of one rank."""
        return top_of(self.cards)

    def is_top_missing(self, view: PileView) -> bool:
        """Return whether no card of the top rank is seen; straightening a set leaves one card visible."""
        below = len(self.cards) - len(self.top)
        return bool(self.cards) and max(view.there, default=-1) < below

    def lie_below_top(self, new: Sequence[NewCard], looks: Sequence[Sequence[Observation]]) -> bool:
        """Return whether new cards of another rank must lie below the top card.

        If two cards overlap, the lower shows less and is read less surely. If these looks do not show the top
        card, there is no comparison. Then a card with an almost certain name lies on top.
        """
        read = [s.observation.odds(self.cards[-1].name) for s in fuse_looks(looks)] if self.cards else []
        top = max(read, default=0.0)
        if top < SURE:
            return min((card.p for card in new), default=1.0) < CERTAIN
        return min((card.read for card in new), default=1.0) < top

    def misread_before(self, card: NewCard, view: PileView) -> PileCard | None:
        """Return the buried card that comes to light as `card` but had another suit before; None if none."""
        buried = self.cards[: len(self.cards) - len(self.top)]
        if card.p < CERTAIN or self._hides_top(view, 0.0):
            return None
        return next(
            (lay for lay in buried if lay.name in view.unseen and _is_told_otherwise(lay, card)), None
        )

    def is_laid_bare(self, view: PileView, in_sight: Collection[str], *, gone: bool, doubtful: bool) -> bool:
        """Return whether upper cards were taken off: no new card hides them, and lower ones show.

        `in_sight`: the cards seen before. `gone`: nothing looks like the top card any more. `doubtful`: the
        new cards are doubtful, so a buried card that now shows counts for more.
        """
        below = set(view.plain) - {card.name for card in self.top}
        come_to_light = below - set(in_sight)
        if gone and doubtful and any(self._is_buried(name) for name in come_to_light):
            return True
        shows = bool(below) if gone else bool(come_to_light)
        return shows and not self._hides_top(view)

    def _hides_top(self, view: PileView, off: float = OFF_MM) -> bool:
        """Return whether new cards hide every index of the top ones, so that these may lie below.

        `off`: how far (mm) the outlines may miss an index. Cards without a name do not count: such an outline
        may be drawn through cards that were laid bare. A guess that may be a buried card is not new, either.
        """
        top = [card.place for card in self.top if card.place]
        new = [card for card in view.new if card.name != UNKNOWN_CARD]
        return hide([card.seen for card in new if not is_read_as_one_of(view.unseen, card)], top, off)

    def _staying(self, seen: Sequence[Observation], pictured: PicturePair) -> set[str]:
        """Return cards that surely stayed beneath others, although something seen reads like them.

        Leave out a card if another lies exactly there, because a visible edge may be the other's. A card that
        was seen before and reads like it, or lies in its place, may be the card itself. Then leave it out,
        too.
        """
        staying = set()
        for number, card in enumerate(self.cards):
            if copies(card.name, self.packs) > 1 or card.place is None or not lies_alone(number, self.cards):
                continue
            alike = [s for s in seen if _reads_like(s, card.name)]
            may_be_it = [*alike, *(s for s in seen if in_place(card.place, s))]
            if (
                alike
                and all(map(pictured.shows_new, may_be_it))
                and pictured.stays_beneath(card.place, seen, alike)
            ):
                staying.add(card.name)
        return staying

    def _weighed(
        self,
        seen: Observation,
        taken: Collection[str],
        pictured: PicturePair,
        staying: Collection[str],
        put: Collection[str],
    ) -> Observation:
        """Return `seen` with its probabilities weighed by what is physically likely at its place.

        The hand that put down the cards `put` was still there, so it may have moved them since.
        """
        here = names_at(seen, self.cards)
        other = _OTHER_NAME_IN_PLACE if here and not pictured.shows_new(seen) else 1.0
        tops = {card.name for card in self.top}

        def weight(name: str) -> float:
            if name in taken:
                return TAKEN_FACTOR
            if name in put:
                return 1.0
            if name in staying:
                return _STAYS_WEIGHT
            if name in here and not self._is_buried(name):
                return 1.0
            if name in self.names:
                on_top = name in tops and name not in here
                return _TOP_MOVES if self.may_have_another(name) or on_top else _BURIED_MOVES
            return other

        return replace(seen, probabilities=weighed(seen, weight))

    def _is_buried(self, name: str) -> bool:
        """Return whether later cards cover both indices of the topmost card of a name."""
        number = max(numbers_of(name, self.cards))
        place = self.cards[number].place
        above = [card.place for card in self.cards[number + 1 :] if card.place is not None]
        return place is not None and hide(above, [place])

    def _is_read_as_known(self, seen: Observation) -> bool:
        """Return whether a reading is more likely a card of the pile than not, though that lay elsewhere."""
        return sum(seen.odds(name) for name in set(self.names)) > 0.5

    def has_on_top(self, names: Sequence[str]) -> bool:
        """Return whether just these cards are the uppermost, in any order."""
        return bool(names) and sorted(self.names[-len(names) :]) == sorted(names)

    def known_place(self, seen: Observation) -> bool:
        """Return whether a card of the pile is known to lie exactly there."""
        return bool(names_at(seen, self.cards))

    def shows_another(self, card: NewCard) -> bool:
        """Return whether a card is read well exactly where the top card was surely read as another."""
        top = self.cards[-1] if self.cards else None
        if top is None or not top.sure or card.read < SURE or card.name == top.name:
            return False
        return bool(names_at(card.seen, [top]))

    def suit_lies_at(self, suit: str, seen: Observation) -> bool:
        """Return whether a card of a suit is known to lie exactly there."""
        return any(name[-1] == suit for name in names_at(seen, self.cards))

    def put(self, new: Sequence[NewCard], *, free: bool = False, below: bool = False) -> None:
        """Put new cards on top, or below the top ones; `free`: no hand hid any part of them."""
        at = len(self.cards) - (len(self.top) if below else 0)
        number = (self.cards[-1].put if self.cards else 0) + (not below)
        self.cards[at:at] = [PileCard(name, seen, free and p >= CERTAIN, number) for name, p, seen in new]

    def confirm(self, looks: Sequence[Sequence[Observation]]) -> None:
        """Note the cards that are read almost certainly in their known places, with no hand near."""
        for settled in fuse_looks(looks):
            if settled.look_count < AGREEING_LOOKS:
                continue
            for card in self.cards:
                if card.place and is_read_as(settled.observation, card.name, card.place, CERTAIN):
                    card.sure = True

    def place_again(self, looks: Sequence[Sequence[Observation]]) -> None:
        """Note where the known cards lie now, after the pile was straightened."""
        seen = [s.observation for s in fuse_looks(looks) if s.observation.best[1] >= SURE]
        claims = [(*card.best, card) for card in seen]
        for claim, numbers in zip(
            claims, possible_numbers(self.cards, claims, self.packs, None), strict=True
        ):
            for number in numbers if len(numbers) == 1 else ():
                self.cards[number].place = claim[2]


def _is_partly_hidden(seen: Observation, unseen: Lying) -> bool:
    """Return whether a reading may be what others leave to be seen of a card that is not seen elsewhere."""
    return any(place is not None and may_be_end(place, seen) for place in unseen.values())


def _reads_like(seen: Observation, name: str) -> bool:
    """Return whether a card may have a name, or one of the same rank and colour."""
    kind = rank_and_colour(name)
    return any(p >= HARDLY and rank_and_colour(other) == kind for other, p in seen.probabilities.items())


def _is_told_otherwise(lay: PileCard, card: NewCard) -> bool:
    """Return whether a card of the pile may have had another suit when it was reported, and be `card`."""
    if lay.sure or lay.place is None or lay.place.odds(lay.name) >= CERTAIN:
        return False
    return rank_and_colour(lay.name) == rank_and_colour(card.name) and in_place(lay.place, card.seen)


def _firm(group: FusedObservation, looks: int) -> bool:
    return looks >= 3 and group.look_count == looks
