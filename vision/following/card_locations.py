"""The known places of cards: those on the table, and the holders of cards under arms."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from engine.cards import all_copies_among, copies
from vision.following.burn_pile import BurnPile
from vision.following.certainty import CERTAIN
from vision.following.looks import Look
from vision.following.pick_ups import Taking
from vision.following.rows import Rows
from vision.following.scene import Scene
from vision.table.layout import BURN, PLAY, Zone
from vision.table.observations import Observation

_MISREAD_SURELY = 0.93
"""If a card is wrongly read this surely, the reading says little about its real name."""


class CardLocations:
    """Knows the places of the cards that have been seen."""

    def __init__(
        self, scene: Scene, rows: Rows, burn_pile: BurnPile, taking: Taking, pile: Callable[[], list[str]]
    ) -> None:
        """Begin with the parts that know where cards lie; `pile` returns the cards on the play pile."""
        self._scene, self._rows, self._burn_pile = scene, rows, burn_pile
        self._taking, self._pile = taking, pile

    def holder(self, hidden: Collection[Zone], card: Observation, seat: int) -> int:
        """Return the seat whose hand holds a card under a seat's arm; if arms cross, the owner of the card.

        `hidden` are the zones that cannot be seen: a face-up card that lay there may be in its owner's hand.
        """
        name, p = card.best
        if p < CERTAIN:
            return seat
        owners = {zone.seat for zone, spot in self._rows.spots.items() if spot.up == name and zone in hidden}
        return owners.pop() if len(owners) == 1 else seat

    def lies(self, card: Observation, seat: int, *, holds_another: bool, answers: bool) -> bool:
        """Return whether a card under a seat's arm lies where it is, and is not held out.

        A card lies on the pile, in the seat's own row, or where a card of its name is known to lie. A hand
        that has just taken the pile carries it, with cards that nobody has seen before, and holds nothing
        out. `holds_another`: that hand holds out another card, far from there. Then a surely read card over
        the own row is held out as well. A surely read card over the pile is held out if it `answers` the
        other one, with its rank.
        """
        whole = self._taking.whole
        if whole is not None and whole.seat == seat:
            return True
        zone, name = self._scene.layout.zone_at(card.x, card.y), card.best[0]
        own = zone is not None and zone.kind == "row" and zone.seat == seat
        if self._burn_pile.lies(card) or (name, zone) in self.lying():
            return True
        held_out = answers if zone == PLAY else holds_another
        return (own or zone == PLAY) and not (held_out and card.best[1] >= CERTAIN)

    def without_cards_in_rows(self, look: Look) -> Look:
        """Return a look without play-pile readings that surely name a card shown in a row.

        Each card exists once, so a partly covered card read as that card has been misread, and its reading
        says nothing. The row's card must lie in its known place, and be read more surely.
        """
        surely: dict[str, list[float]] = {}
        for seen in look.cards:
            zone, (name, p) = self._scene.layout.zone_at(seen.x, seen.y), seen.best
            spot = self._rows.spots.get(zone) if zone is not None and zone not in look.hidden else None
            if name is not None and spot is not None and spot.up == name and p >= CERTAIN:
                surely.setdefault(name, []).append(p)
        in_row = {name: min(p) for name, p in surely.items() if len(p) >= copies(name, self._scene.packs)}

        def is_misread(seen: Observation) -> bool:
            name, p = seen.best
            misread = name is not None and _MISREAD_SURELY <= p < in_row.get(name, 0.0)
            return misread and self._scene.layout.zone_at(seen.x, seen.y) == PLAY

        if not any(map(is_misread, (*look.cards, *(held.seen for held in look.under_arms)))):
            return look

        def without_that_name(seen: Observation) -> Observation:
            if not is_misread(seen):
                return seen
            others = {name: p for name, p in seen.probabilities.items() if name != seen.best[0]}
            return replace(seen, probabilities=others)

        under_arms = tuple(replace(held, seen=without_that_name(held.seen)) for held in look.under_arms)
        return replace(look, cards=tuple(map(without_that_name, look.cards)), under_arms=under_arms)

    def lying(self) -> list[tuple[str, Zone]]:
        """Return the cards that are known to lie on the table, each with its zone."""
        taken = self._taking.whole.cards if self._taking.whole is not None else ()
        up = [(spot.up, zone) for zone, spot in self._rows.spots.items() if spot.up]
        burned = [(card, BURN) for card in self._scene.burned]
        return [*burned, *((card, PLAY) for card in (*self._pile(), *taken)), *up]

    def off_the_pile(self) -> set[str]:
        """Return the cards that cannot be on the play pile: they lie in untouched rows, or are burnt."""
        return all_copies_among([*self._rows.undisturbed(), *self._scene.burned], self._scene.packs)
