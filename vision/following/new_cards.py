"""Cards that seem to have been put on the play pile: finds those that lay there all along."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from operator import itemgetter

from engine.events import Event
from vision.decks.card_classes import rank_and_colour, rank_of
from vision.following.certainty import CERTAIN, HARDLY, LIKELY, QUITE_SURE, SURE, VERY_SURE
from vision.following.close_ups import ALIKE, ALL_BUT_THE_SAME, MUCH_ALIKE
from vision.following.duplicates import PileCard, alike_lies_at, names_at
from vision.following.looks import AGREEING_LOOKS, LATEST_LOOKS
from vision.following.pick_ups import Taking
from vision.following.pile import Pile, PileView
from vision.following.pile_geometry import hide, is_read_as, roughly_at, same_card
from vision.following.pile_pictures import PilePictures
from vision.following.play_log import PlayLog
from vision.following.sets import NewCard, clear_rank, may_be_one_of, rank_odds, without_other_ranks
from vision.table.observations import MIN_NAME_P, Observation, fuse_looks
from vision.types import UNKNOWN_CARD

_ALL_BUT_CERTAIN = 0.99
"""A name this probable is right, even if another card lay in that place."""
_RANK_LOOKS = 3
"""This many looks show a card's rank."""
_INDEX_MM = 6.0
"""A card whose edge is farther than this from an index does not partly cover the index."""


class NewCardFilter:
    """Judges cards that seem new by the known pile, its pictures, and the cards taken off it."""

    def __init__(self, pile: Pile, pictures: PilePictures, taking: Taking, play_log: PlayLog) -> None:
        self._pile, self._pictures, self._taking, self._play_log = pile, pictures, taking, play_log
        self.in_sight: set[str] = set()
        """The names that have been read on the pile since it was last settled."""
        self.in_sight_before_play: set[str] = set()
        """Those that had been read when cards began to be put on it."""

    def put_down(
        self,
        seen: Sequence[NewCard],
        player_at: Callable[[Observation], str | None],
        t: float,
        now: float,
        *,
        early: bool,
        unpictured: bool,
    ) -> list[NewCard]:
        """Return those of the cards that were put down by `t`; `player_at` returns the player who did.

        `early`: a hand is still there, and cards that it partly hides may be misread. So doubtful ones wait.
        `unpictured`: no picture shows that the cards came.
        """
        seen = self.without_those_not_taken(seen, now)
        if unpictured:
            return seen
        seen = self.surely_put_down(seen) if early else self.without_overlooked(seen, t)
        sure = CERTAIN if early else LIKELY
        return self.without_misread_beside_last(seen, player_at(seen[-1].seen), t, sure) if seen else []

    def without_those_not_taken(self, seen: Sequence[NewCard], now: float) -> list[NewCard]:
        """Return the new cards, without those that seemed taken and are there again: they were overlooked."""
        overlooked = self._taking.overlooked([card.name for card in seen], now)
        places = {card.name: card.seen for card in seen}
        self._pile.cards += [PileCard(name, places.get(name)) for name in overlooked]
        return [card for card in seen if card.name not in overlooked]

    def without_overlooked(self, seen: Sequence[NewCard], t: float) -> list[NewCard]:
        """Return the new cards, without those that lay there before. If surely read, these join the pile.

        A card that came with the last play does not join the pile here: it belongs to that play.
        Cards that lay there are not reported. The pictures of two cards may be similar. So a well-read card
        is new in spite of them if its rank was just played: an old card hardly comes to light just then. The
        rank was played if another card of it is plainly new, or was reported under the hand that was there
        till `t`. But a card read before the play is old. A card is also new if only an index looks unchanged,
        and all else that shows of it looks different.
        """
        plain = [card for card in seen if _is_well_read(card.seen)]
        upon = [*self._last_put(), *(card.seen for card in plain)]
        alike = [
            card
            for card in seen
            if (self.lay_there(card) and not self._came_with(card, seen))
            or (_is_doubtful(card, plain) and self._looks_as_left(card.seen, upon))
        ]
        played = {card.rank for card in seen if card not in alike}
        last = self._play_log.newest
        if last is not None and self._play_log.in_one_reach(last, t):
            played.add(rank_of(last.cards[-1]))
        known = [*self._pile.names, *self.in_sight]
        old = [
            c
            for c in alike
            if c.rank not in played
            or c.name in self.in_sight
            or (_is_doubtful(c) and not _is_of_another_rank(c, known))
        ]
        rank = None if last is None else rank_of(last.cards[-1])
        self._pile.cards[:0] = [
            PileCard(card.name, card.seen)
            for card in old
            if card.read >= CERTAIN
            and not (card.rank == rank and self._pictures.changed_with_play(card.seen))
        ]
        return [card for card in seen if card not in old]

    def _came_with(self, card: NewCard, seen: Sequence[NewCard]) -> bool:
        """Return whether everything that shows of a card beside those that came with it looks different.

        Beside other cards this proves something only if the name is almost certain and was not read before.
        An index that lay bare is not overlooked in every look.
        """
        upon = [other.seen for other in seen if other.name != card.name]
        if not upon:
            return self._pictures.since_left.looks_otherwise(card.seen)
        plain = _is_well_read(card.seen) and card.name not in self.in_sight
        return plain and self._pictures.since_left.looks_otherwise_beside(card.seen, upon)

    def _looks_as_left(self, card: Observation, upon: Sequence[Observation]) -> bool:
        """Return whether a card's index, or its part beside the cards `upon` it, looks unchanged."""
        if self._pictures.since_left.lay_there(card):
            return True
        upon = [upper for upper in upon if not same_card(upper, card)]  # else maybe it is that card, misread
        return bool(upon) and self._pictures.since_left.looks_as_before_beside(card, upon)

    def _last_put(self) -> list[Observation]:
        """Return the places of the cards of the last play."""
        last = self._play_log.last
        names = () if last is None else last.cards
        return [lay.place for lay in self._pile.cards if lay.name in names and lay.place is not None]

    def lay_there(self, card: NewCard) -> bool:
        """Return whether a card that seems new lay there before; a card put exactly on another did not.

        A well-read card is new where the top card was surely read as another, if its whole place looks
        different. A card with an almost certain name may have its index where a very similar one was. On a
        neat pile a 6 of clubs and an 8 of clubs differ little. If a card of its suit lay there, a card read
        less surely is most likely that one: another card half covers its rank.
        """
        seen, pictures = card.seen, self._pictures.since_left
        if self._pile.shows_another(card) and pictures.looks_otherwise(seen):
            return False
        if card.p >= CERTAIN or card.read >= _ALL_BUT_CERTAIN:
            return not self._pile.known_place(seen) and pictures.lay_there(seen, ALL_BUT_THE_SAME)
        half_read = card.read < SURE and self._pile.suit_lies_at(card.name[-1], seen)
        return pictures.lay_there(seen, MUCH_ALIKE if half_read else ALIKE)

    def begin_play(self) -> None:
        """Note that cards are being put on the pile as it was left."""
        self._pictures.before_play = self._pictures.left
        self.in_sight_before_play = set(self.in_sight)

    def lay_there_before_play(self, card: NewCard, played: str = "") -> bool:
        """Return whether a card read now was there before the last play; a doubtful name proves little.

        A well-read card of the `played` rank that was never read there before hardly comes to light only now.
        """
        read_well = not _is_doubtful(card) and card.name not in self.in_sight_before_play
        alike = ALIKE if card.p >= CERTAIN else MUCH_ALIKE
        if card.rank == played and (read_well or self._is_of_another_rank_than_before_play(card)):
            alike = ALL_BUT_THE_SAME
        return self._pictures.since_play().lay_there(card.seen, alike, self._last_put())

    def _is_of_another_rank_than_before_play(self, card: NewCard) -> bool:
        last = self._play_log.last
        played = () if last is None else last.cards
        lower = [name for name in self._pile.names if name not in played]
        return _is_of_another_rank(card, [*lower, *self.in_sight_before_play])

    def surely_put_down(self, seen: Sequence[NewCard]) -> list[NewCard]:
        """Return the new cards that are beyond doubt, although a hand is over them.

        A card of another rank than the surest is doubtful: beside a hand, one card may be outlined as two. A
        card that may be a misread card of the pile is doubtful, too, because the hand has moved the pile.
        """
        new = [
            c for c in seen if not (self.lay_there(c) or may_be_one_of(dict.fromkeys(self._pile.names), c))
        ]
        ranks = {max(new, key=lambda card: card.p).rank} if new else set()
        return without_other_ranks(ranks, new, self._pile.names, sure=CERTAIN)

    def without_laid_bare(self, view: PileView, now: float) -> PileView:
        """Return the view without cards that only came to light when cards on them were taken off.

        A card that was reported with another suit is corrected.
        """
        misread = [(card, self._pile.misread_before(card, view)) for card in view.new]
        told = {card.name: lay for card, lay in misread if lay is not None}
        doubtful = view.confidence < LIKELY
        if not told and not self._pile.is_laid_bare(
            view, self.in_sight, gone=self.is_top_gone(), doubtful=doubtful
        ):
            return view
        for name, lay in told.items():
            self._play_log.rename(lay.name, name, now)
            lay.name = name
        new = [card for card in view.new if card.name not in told and card.p >= CERTAIN]
        bare = {k for k, card in enumerate(self._pile.cards) if any(card is lay for lay in told.values())}
        return replace(view, new=tuple(new), old=(*view.old, *told), there=view.there | bare)

    def plainly_new(self, view: PileView) -> list[NewCard]:
        """Return the new cards with almost certain names that the picture before plainly did not show."""
        shows_new = self._pictures.since_left.shows_new
        return [card for card in view.new if card.p >= CERTAIN and shows_new(card.seen)]

    def is_top_taken(self, view: PileView, unchanged: bool, looks: Sequence[Sequence[Observation]]) -> bool:
        """Return whether upper cards have gone: those of the top rank, or those last played.

        Straightening cards that were put down together hides all but one, but cards on them stay visible. A
        card that one of the `looks` reads well in its place has not gone. `unchanged`: the pile looks
        unchanged from afar.
        """
        last, seen = self._play_log.newest, max(view.there, default=-1)
        if any(_is_read_in(looks, lay) for lay in self._pile.cards[seen + 1 :]):
            return False
        below = len(self._pile.cards) - (len(last.cards) if last is not None else 0)
        on_top = last is not None and self._pile.has_on_top(last.cards)
        if self._pile.is_top_missing(view):
            return not unchanged and not (on_top and seen >= below)
        return on_top and seen < below and self.is_top_gone()

    def is_top_gone(self) -> bool:
        """Return whether nothing looks like the top card any more in its place."""
        top = self._pile.cards[-1].place if self._pile.cards else None
        return top is not None and self._pictures.is_gone(top)

    def may_show_more(
        self,
        view: PileView,
        looks: Sequence[Sequence[Observation]],
        elsewhere: Collection[str],
        under_hand: Sequence[Observation],
    ) -> bool:
        """Return whether another card of the new ones' rank shows in the last look, or well before.

        A card that was also read under the hand need not show so well.
        """
        ranks = {card.rank for card in view.new}
        known = {*(card.name for card in view.new), *self._pile.names, *elsewhere}
        read = {seen.best[0] for seen in under_hand if seen.best[1] >= MIN_NAME_P}
        named = [
            (*seen.best, MIN_NAME_P if look is looks[-1] or seen.best[0] in read else SURE)
            for look in looks
            for seen in look
        ]
        return any(
            name and p >= least and rank_of(name) in ranks and name not in known for name, p, least in named
        )

    def missed(
        self, last: Event, looks: Sequence[Sequence[Observation]], elsewhere: Collection[str]
    ) -> list[NewCard]:
        """Return cards that were put down with the last play but are only seen now, in these looks.

        A card of the same set that shows only in part is overlooked as often as not. So the latest looks are
        enough for it.
        """
        view = self.view_since_play(looks, elsewhere)
        missed = self.missed_in(last, view, plain=len(looks) > AGREEING_LOOKS)
        if missed or len(looks) <= LATEST_LOOKS:
            return missed
        return self.missed_in(last, self.view_since_play(looks[-LATEST_LOOKS:], elsewhere), plain=False)

    def view_since_play(self, looks: Sequence[Sequence[Observation]], elsewhere: Collection[str]) -> PileView:
        """Return what looks show, compared with the pile before the last play."""
        return self._pile.view(looks, elsewhere, self._pictures.since_play(self._last_put()))

    def missed_in(self, last: Event, view: PileView, *, plain: bool) -> list[NewCard]:
        """Return cards that a view shows and that were put down with the last play, but not seen then.

        These are cards of its set. If enough looks show them `plain`ly, they may also have another rank. Then
        every look must show something different from what lay there before.
        """
        rank = rank_of(last.cards[-1])
        seen = [c for c in view.new if c.rank == rank and not self.lay_there_before_play(c, rank)]
        if plain:
            others = [c for c in (*view.new, *view.doubtful) if c.rank != rank]
            seen += [c for c in others if self.is_another(c)]
        seen = [card for card in seen if not may_be_one_of(view.unseen, card)]
        upon = self._last_put()
        return [
            card
            for card in seen
            if card.p >= LIKELY
            and card.name != UNKNOWN_CARD
            and not (
                _is_doubtful(card)
                and not self._is_of_another_rank_than_before_play(card)
                and self._pictures.since_play().looks_as_before_beside(card.seen, upon)
            )
        ]

    def half_read(
        self, looks: Sequence[Sequence[Observation]], elsewhere: Collection[str], *, covered: bool
    ) -> list[NewCard]:
        """Return cards that came with the last play, if looks show no more of them than their rank.

        This is too little to report them, but enough if their player draws for them. A reading that names a
        card known to lie exactly there is that card. A rank that is not sure is that of the last play, if it
        may be: cards put down together nearly always have one rank. `covered`: something has been over the
        pile since those looks.
        """
        last, known = self._play_log.last, {*self._pile.names, *elsewhere}
        if last is None:
            return []
        of_last, found = rank_of(last.cards[-1]), []
        for seen in (
            settled.observation for settled in fuse_looks(looks) if settled.look_count >= _RANK_LOOKS
        ):
            if seen.best[0] in names_at(seen, self._pile.cards):
                continue
            rank = clear_rank(seen)
            is_sure = rank is not None and rank_odds(seen, rank) >= SURE
            if not is_sure and rank_odds(seen, of_last) > HARDLY:
                rank = of_last
            odds = {
                name: p
                for name, p in seen.probabilities.items()
                if rank_of(name) == rank and name not in known
            }
            if odds and self._pictures.changed_with_play(seen, covered=covered):
                found.append(NewCard(*max(odds.items(), key=itemgetter(1)), seen))
        return [card for card in found if card.rank == of_last] or found

    def misread_in(self, last: Event, card: NewCard, view: PileView) -> PileCard | None:
        """Return the card of the last play that a hand hid and that is read as `card` now; None if none."""
        told = (c for c in self._pile.cards if c.name in last.cards and c.name not in view.old and not c.sure)
        return next((lay for lay in told if _was_misread(lay, card)), None)

    def without_misread_beside_last(
        self, seen: Sequence[NewCard], player: str | None, t: float, sure: float
    ) -> list[NewCard]:
        """Return the cards that a player put down by `t`, without those that are most likely misread.

        The player's last play must be by the same reach. A card of another rank beside it is most likely
        misread, unless it is read `sure`ly. It may have its name only because its likelier name lies
        elsewhere. A single look that showed both would be judged the same way, see `without_other_ranks`.
        """
        last = self._play_log.newest
        if last is None or last.player != player or not self._play_log.in_one_reach(last, t):
            return list(seen)
        rank = rank_of(last.cards[-1])
        likely = without_other_ranks({rank}, seen, self._pile.names, dict.fromkeys(self._pile.names))
        return [
            c
            for c in seen
            if c.name == UNKNOWN_CARD
            or c.rank == rank
            or (c.read >= sure and any(c is one for one in likely))
        ]

    def is_another(self, card: NewCard) -> bool:
        """Return whether a card of another rank was nevertheless put down with the last play.

        Partly covered cards are misread more often than cards of several ranks are played. So these do not
        count:

        - A card exactly where one of its suit lay is that card, with only its pip showing. This does not hold
          if one of its indices lies free.

        - A card where one of its rank and colour lay is that card, its pip covered. This does not hold if it
          surely was not visible before.
        """
        seen, came = card.seen, self._pictures.since_play().shows_new
        upon = [lay.place for lay in self._pile.top if lay.place is not None]
        free = not hide(upon, [seen], _INDEX_MM)
        if not free and self._pile.suit_lies_at(card.name[-1], seen):
            return False
        if alike_lies_at(card.name, seen, self._pile.cards) and not came(seen):
            return False
        return card.read >= CERTAIN and self._pictures.changed_with_play(seen)


def _is_well_read(seen: Observation) -> bool:
    return seen.best[1] >= CERTAIN


def _is_of_another_rank(card: NewCard, known: Collection[str]) -> bool:
    """Return whether a card's rank is surely read, and none of the `known` cards there has that rank."""
    surely = rank_odds(card.seen, card.rank) >= VERY_SURE
    return surely and not any(rank_of(name) == card.rank for name in known)


def _is_read_in(looks: Sequence[Sequence[Observation]], lay: PileCard) -> bool:
    """Return whether a look reads a card of the pile well in its place."""
    place, every = lay.place, (seen for look in looks for seen in look)
    return place is not None and any(is_read_as(seen, lay.name, place, SURE) for seen in every)


def _is_doubtful(card: NewCard, plain: Sequence[NewCard] = ()) -> bool:
    """Return whether a new card's name is not surely read.

    `plain`: plainly read cards that came with it. A card of another rank than theirs must be as plain itself.
    """
    of_their_rank = not plain or any(other.rank == card.rank for other in plain)
    return card.read < (SURE if of_their_rank else CERTAIN)


def _was_misread(lay: PileCard, card: NewCard) -> bool:
    """Return whether a card of the pile may be `card`, which is read in its place, or near it if alike."""
    if lay.place is None:
        return False
    alike = rank_and_colour(lay.name) == rank_and_colour(card.name)
    return same_card(lay.place, card.seen) or (alike and roughly_at(lay.place, card.seen))


def shows_a_card(look: Sequence[Observation]) -> bool:
    """Return whether a look reads a card well, though looks may not agree on its place."""
    return any(p >= QUITE_SURE for _, p in (seen.best for seen in look))


def named_in(looks: Sequence[Sequence[Observation]]) -> set[str]:
    """Return the likeliest name of each card in some looks."""
    return {name for look in looks for seen in look if (name := seen.best[0])}
