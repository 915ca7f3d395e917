"""Finds what was put on the play pile, by looks before, during and after a hand was there."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from engine.cards import copies
from vision.decks.card_classes import rank_of
from vision.following.certainty import CERTAIN, LIKELY, QUITE_SURE
from vision.following.duplicates import alike_lies_at
from vision.following.looks import AGREEING_LOOKS, PATIENCE_LOOKS, Look, UnderArm
from vision.following.new_cards import NewCardFilter, named_in, shows_a_card
from vision.following.occluded_readings import OccludedReadings, plainly_read
from vision.following.patches import Patch, same_patch
from vision.following.pick_ups import Taken, Taking
from vision.following.pile import Pile, PileView
from vision.following.pile_geometry import same_card
from vision.following.pile_pictures import PilePictures
from vision.following.play_log import PlayLog
from vision.following.reported_events import BeforeAction
from vision.following.scene import ARM_SECONDS, Scene
from vision.following.sets import NewCard, may_be_one_of, without_doubtful, without_other_ranks
from vision.following.stacked_duplicates import infer_stacked_duplicate
from vision.following.up_cards import UpCards
from vision.following.visits import Visits
from vision.hands.tracks import HandsFrame
from vision.table.layout import PLAY
from vision.table.observations import MIN_NAME_P, Observation

_WAIT_FOR_DRAW_SECONDS = 1.8
"""If it is unclear whose hand played, wait this long for the draw that may show it."""
_ENOUGH_LOOKS = 8
"""A settled pile gets this many looks."""
_GLIMPSE_COVERED = 0.5
"""A hand has left, or is leaving, a card if its arm covers less than this share of it."""
_TOSSED_SECONDS = 2.0
"""How long after a hand was last seen a card may still be one that it tossed on to the pile."""


class PlayPile:
    """Watches the play pile and reports what is put on it. `Taking` handles what is taken off."""

    def __init__(
        self,
        scene: Scene,
        upcards: UpCards,
        taking: Taking,
        elsewhere: Callable[[], set[str]],
        before_action: BeforeAction,
        t: float,
    ) -> None:
        self._scene, self._upcards, self._taking = scene, upcards, taking
        self._elsewhere, self._before_action = elsewhere, before_action
        self.pile = Pile(packs=scene.packs)
        self.touched: float | None = None
        """When something was last over the pile; None once the change has been settled."""
        self._visits = Visits(scene, t)
        self._looks: list[list[Observation]] = []
        self._glimpses: list[list[Observation]] = []
        self._reported_early: list[NewCard] = []
        self._under_hand = OccludedReadings()
        self._play_log = PlayLog(scene)
        self._pictures = PilePictures()
        self._new_cards = NewCardFilter(self.pile, self._pictures, taking, self._play_log)
        self._last_seen_at = -math.inf
        """When a card of the pile was last seen there, perhaps under a hand."""
        self._lifted_by: int | None = None
        """The seat of that hand if the card was no longer where it had lain; else None."""
        self._patch: Patch | None = None
        """The picture of the pile in the latest look."""
        self._as_left: Patch | None = None
        self._undisturbed: Patch | None = None
        """The picture of the pile when it was last seen with nothing to settle."""
        self._before_last: Patch | None = None
        """The picture of the pile before the last play; None if cards have been taken off since."""
        self._bare: Patch | None = None

    # -- what comes in -----------------------------------------------------------------------------

    def cover(self, seats: frozenset[int], t: float) -> None:
        """Note that arms of these seats, or something else that moves, are over the pile."""
        if self.touched is not None and self._looks:
            self.judge(t, self._patch, forced=True)  # a hand came back before the pile was seen well
        self._pictures.read, self._looks = self._looks or self._pictures.read, []
        self.touched = t
        self._visits.note(seats, t)

    def begin(
        self, looks: Sequence[list[Observation]], put_down: float, now: float, bare: Sequence[float]
    ) -> None:
        """Take over looks at cards that turn out to lie on the pile, and the time when they were put down.

        `bare`: when looks still showed the place without a card.
        """
        for t in bare:
            self._visits.look([], t)
        self.touched, self._looks = put_down, list(looks)
        self._visits.note((), put_down)
        self.judge(now, None)

    def report_earlier(self, seat: int, card: Observation, t: float, now: float) -> None:
        """Report a card that a seat put down at `t`, before it was known that the pile is here."""
        name, p = card.best
        new = [NewCard(str(name), p, card)]
        self.pile.put(new)
        source = self._upcards.source_of([new[0].name], seat)
        self._play_log.report(self._scene.player(seat), new, source, t, now)

    def look(self, cards: list[Observation], look: Look) -> None:
        """Take in one look at the uncovered pile."""
        self._looks = [*self._looks[-2 * PATIENCE_LOOKS :], cards]
        self.pile.confirm(self._looks[-AGREEING_LOOKS:])
        self._pictures.now = look.pile
        self._visits.look(cards, look.t, untouched=self.touched is None)
        self._note_shown(((seen, None) for seen in cards), look.t)
        if cards and self.pile.cards:
            self._taking.lay_free = look.t
        self._patch = look.patches.get(PLAY)
        self.judge(look.t, self._patch)

    def glimpse(self, look: Look, free: list[Observation]) -> None:
        """Take in the pile beside a hand; report a card just put down once two looks read it surely."""
        left = [held.seen for held in look.under_arms if not held.moving and self._left_behind(held)]
        cards = free + [seen for seen in left if self._scene.layout.zone_at(seen.x, seen.y) == PLAY]
        self._glimpses = [*self._glimpses[-AGREEING_LOOKS + 1 :], cards]
        self._pictures.now = look.pile
        under = [(held.seen, held.seat) for held in look.under_arms]
        every = [*((seen, None) for seen in free), *under]
        self._visits.glimpse(every, look.t)
        self._note_shown(every, look.t)
        self._under_hand.note(look, self._scene.layout, self._pictures.since_left.lay_there)
        if len(self._glimpses) >= AGREEING_LOOKS:
            view = self._view(self._glimpses, free=False)
            if view.new and view.confidence >= QUITE_SURE:
                newest = view.new[-1].seen
                waits = look.t - self._visits.when_it_came(newest)[1] < _WAIT_FOR_DRAW_SECONDS
                if not waits or self._visits.is_sure_who(newest):
                    self._played(view.new, look.t, None, early=True)
                    return
        self._look_under_hand(look)

    def read_under_hand(self, now: float) -> set[str]:
        """Return the names of the cards read on the pile beside or under a hand since it last lay free."""
        return named_in([self._under_hand.lately(now, since=self._taking.lay_free)])

    def _note_shown(self, cards: Iterable[tuple[Observation, int | None]], t: float) -> None:
        """Note when the pile's cards are seen, and which seat's hand has lifted them (None: none has)."""
        names, layout = set(self.pile.names), self._scene.layout
        there = [(c, seat) for c, seat in cards if c.best[0] in names and layout.zone_at(c.x, c.y) == PLAY]
        if there:
            seen, seat = there[-1]
            lies = any(card.place is not None and same_card(card.place, seen) for card in self.pile.cards)
            self._last_seen_at, self._lifted_by = t, None if lies else seat

    def _look_under_hand(self, look: Look) -> None:
        """Report a play at rest under a resting hand, if two or more looks read its cards well enough."""
        self._under_hand.note_at_rest(look, self._scene)
        for since, looks, sure in self._under_hand.at_rest():
            view = self._view(looks, free=False)
            named = bool(view.new) and view.confidence >= sure
            if named and self._visits.is_sure_who(view.new[-1].seen):
                self.touched = since
                self._played(view.new, look.t, None, early=True)
                return

    def _view(self, looks: Sequence[list[Observation]], *, free: bool = True) -> PileView:
        """Return what looks show, given the plays reported since the pile was last seen free.

        A card that the hand hid was most likely misread if its rank differs from those just put down. It is
        certainly misread if the earlier picture shows it. It is kept if it lies exactly where a reported card
        was read that is seen no more.
        """
        ranks = {card.rank for card in self._reported_early}
        pictures = self._pictures.since_left
        before = pictures if free else self._pictures.under_hand()
        was = None if self._reported_early else before
        view = self.pile.view(looks, self._elsewhere(), pictures, ranks, was)
        view = self._under_hand.named_as_read(view, ranks, {*self.pile.names, *self._elsewhere()})
        if not self._reported_early or not view.new:
            return view
        fitting = without_other_ranks(ranks, view.new, self.pile.names, view.unseen, CERTAIN)
        # A certain card may belong to the next player's set, if a head has hidden the pile since the last
        # play.
        fitting = [c for c in view.new if c.rank in {card.rank for card in fitting}]
        lost = [card.seen for card in self._reported_early if card.name not in view.old]
        fitting = [c for c in fitting if not may_be_one_of(view.unseen, c) or pictures.shows_new(c.seen)]
        fitting = [c for c in fitting if c.rank in ranks or not pictures.lay_there(c.seen)]
        new = [c for c in view.new if c in fitting or any(same_card(seen, c.seen) for seen in lost)]
        early = {card.name for card in self._reported_early}
        return replace(view, new=tuple(_without_rereads(new, early, looks)))

    def look_interval(self, hands: HandsFrame, quick: float, steady: float) -> float:
        """Return after how many seconds the next look at the pile is due; inf if nothing is open."""
        may_show_more = bool(self.pile.cards) and len(self._looks) < _ENOUGH_LOOKS
        if PLAY not in hands.covered and (self.touched is not None or may_show_more):
            return quick if len(self._looks) <= AGREEING_LOOKS else steady
        return steady if self._scene.is_just_at_pile(hands) else math.inf

    # -- judging -----------------------------------------------------------------------------------

    def judge(self, now: float, patch: Patch | None, *, forced: bool = False) -> None:
        """Decide by the looks since the last disturbance; `forced`: decide now, with the looks there are."""
        if self.touched is None:
            self._undisturbed = self._undisturbed if patch is None else patch
            if self._as_left is None:  # nothing was settled with a picture yet, as after the first play
                self._keep_picture(patch)
            self._new_cards.in_sight |= named_in(self._looks)
            self._looks = self._looks[-_ENOUGH_LOOKS:]
            if not self._find_tossed(now, patch):
                self._find_overlooked(now)
            return
        put = self._put_last()
        if len(self._looks) >= AGREEING_LOOKS and self._is_as_before(put, patch):
            if below := sum(name not in put for name in self.pile.names):
                self._top_taken(below, now, patch)
            else:
                self._gone(now, patch)
            return
        if not self._looks or (len(self._looks) < AGREEING_LOOKS and not forced):
            return
        view = self._view(self._looks)
        patient = not forced and len(self._looks) < PATIENCE_LOOKS
        unchanged = same_patch(patch, self._as_left)
        if self._was_taken_before(view):
            self._take_all(now)
            view = self._view(self._looks)
        if view.new and self.pile.is_top_missing(view):
            view = self._new_cards.without_laid_bare(view, now)
        if view.new and len(self._looks) < AGREEING_LOOKS and view.confidence < QUITE_SURE:
            return  # a single look shows too little: wait
        if view.new:
            under = self._under_hand.lately(now)
            more = self._new_cards.may_show_more(view, self._looks, self._elsewhere(), under)
            awaited = not self._visits.is_sure_who(view.new[-1].seen)
            waits = awaited and not forced and now - self.touched < _WAIT_FOR_DRAW_SECONDS
            if (not patient and not waits) or (view.confidence >= LIKELY and not more and not awaited):
                self._played(self._read_better(view, now), now, patch)
        elif view.cards == 0 and self.pile.cards:
            if len(self._looks) < AGREEING_LOOKS:
                return  # a head may have moved over the pile during a single look: wait
            if unchanged and not forced:
                self._settle(now, patch)  # the reader misses cards that plainly still lie there
            elif not patient or self._looks_bare(patch):
                self._gone(now, patch)
        elif view.cards == 0 and (passed := self._seen_under_hand(now)):
            self._judge_passed_through([card.name for card in passed], now, patch)
        elif (
            view.cards
            and view.looks > AGREEING_LOOKS
            and self._new_cards.is_top_taken(view, unchanged, self._looks)
        ):
            self._top_taken(max(view.there, default=-1) + 1, now, patch)
        elif not patient or (unchanged and not self._new_cards.is_top_gone()):
            self._nothing_new(now, patch)

    def _put_last(self) -> set[str]:
        """Return the cards of the last play, if they are the uppermost; else nothing."""
        if self._reported_early:
            return {card.name for card in self._reported_early}
        last = self._play_log.last
        return set(last.cards) if last is not None and self.pile.has_on_top(last.cards) else set()

    def _is_as_before(self, put: Collection[str], patch: Patch | None) -> bool:
        """Return whether the pile looks as before the last play, which put cards there.

        If so, they have been taken back.
        """
        read = named_in(self._looks)
        return bool(put) and read.isdisjoint(put) and same_patch(patch, self._before_last)

    def _looks_bare(self, patch: Patch | None) -> bool:
        """Return whether the pile's place looks bare, or nobody knows how it looks when bare.

        Return False if a look since the last hand reads a card well: then the other looks missed the card.
        """
        if any(map(shows_a_card, self._looks)):
            return False
        return patch is None or self._bare is None or same_patch(patch, self._bare)

    def _settle(self, now: float, patch: Patch | None, *, early: bool = False) -> None:
        # A play reported under a hand is checked once more without the hand, however soon it leaves.
        self.touched = self._touched_at(now) if early else None
        self._new_cards.in_sight = named_in(self._looks)
        self._visits.settled(now)
        self._glimpses.clear()
        self._under_hand.clear_resting()
        if not early:
            self._reported_early.clear()
        self._keep_picture(patch)

    def _keep_picture(self, patch: Patch | None) -> None:
        """Keep the pictures of the pile as it is now left; without a patch, the close one stays."""
        self._as_left = patch
        if patch is not None:
            self._pictures.left = self._pictures.now
            self.pile.note_picture()
            if not self.pile.cards:
                self._bare = patch

    # -- cards put on ------------------------------------------------------------------------------

    def _played(
        self,
        seen: Sequence[NewCard],
        now: float,
        patch: Patch | None,
        *,
        unpictured: bool = False,
        early: bool = False,
    ) -> None:
        """Report what was put on the pile.

        `unpictured`: no picture shows that the cards came; `early`: a hand is still there.
        """
        t = self._put_down_at(seen, now)
        seen = self._new_cards.put_down(
            seen, self._visits.player_at, t, now, early=early, unpictured=unpictured
        )
        new = self._reveal(seen, now) if seen else []
        if not new:
            if not early:
                self._settle(now, patch)
            return
        names = tuple(card.name for card in new)
        holder = self._holder_of(names)
        seat = self._visits.who_put_down(new[-1].seen) if holder is None else holder
        self._before_action(seat, now, t)
        self._new_cards.begin_play()
        player = self._scene.player(seat)
        new = self._without_mates_of_last(new, player, now)
        if not new:
            self._settle(now, patch, early=early)
            return
        names = tuple(card.name for card in new)
        source = self._upcards.source_of(names, seat)
        below = self._play_log.is_other_rank_of_last(player, names, t) and self.pile.lie_below_top(
            new, self._glimpses if early else self._looks
        )
        self.pile.put(new, free=not (unpictured or early), below=below)
        self._last_seen_at, self._lifted_by = max(now, self._last_seen_at), None
        self._scene.started, self._scene.card_came = True, self._visits.when_it_came(new[-1].seen)
        self._scene.player_held_card = holder is not None
        self._scene.player_in_doubt = not self._visits.is_sure_who(new[-1].seen)
        last = self._play_log.newest
        told = self._play_log.report(player, new, source, t, now, below=below)
        sources = {source, last.source} if last is not None and told.revise is not None else {source}
        if seat is not None and "down" in sources - {told.source}:
            self._upcards.take_back_flip(seat)
        self._visits.told_play(now)
        if told.revise is None:
            self._before_last = self._undisturbed
        if early:
            self._reported_early = [*self._reported_early, *new] if told.revise else new
        self._suspect(now)
        self._settle(now, patch, early=early)

    def _read_better(self, view: PileView, now: float) -> tuple[NewCard, ...]:
        """Rename cards of the last play that were misread under the hand; return the cards that are new.

        A card was misread if another one now lies in its place and it is seen nowhere else. The same player's
        hand must have hidden both readings.
        """
        last = self._play_log.just_told(now)
        if last is None:
            return view.new
        same = self._play_log.in_one_reach(last, self._touched_at(now))
        new = []
        for card in view.new:
            misread = self._new_cards.misread_in(last, card, view)
            player = self._visits.player_at(card.seen)
            if misread is None or player != last.player or not same:
                new.append(card)
                continue
            self._play_log.rename(misread.name, card.name, now)
            misread.name, misread.place = card.name, card.seen
        return tuple(new)

    def take_off_misread(self, name: str, now: float) -> None:
        """Take a card off the pile that lies in a row after all: beside others of its play it was misread."""
        play, lay = self._play_log.play_of(name), next(c for c in self.pile.cards if c.name == name)
        if play is None or len(play.cards) == 1 or lay.sure:
            return
        self.pile.cards.remove(lay)
        cards = tuple(card for card in play.cards if card != name)
        source = self._upcards.source_without(play.source, play.player, cards)
        self._scene.log.revise(play, now, cards=cards, source=source)

    def _holder_of(self, names: Sequence[str]) -> int | None:
        """Return the seat of the only player who was seen to take one of these cards into the hand."""
        scene = self._scene
        if not scene.by_hands:
            return None
        holders = {scene.log.held.get(name) for name in names if copies(name, scene.packs) == 1} - {None}
        seats = [seat for seat, player in enumerate(scene.layout.seats) if player.player in holders]
        return seats[0] if len(seats) == 1 else None

    def _put_down_at(self, seen: Sequence[NewCard], now: float) -> float:
        """Return when cards were put down: when a hand was nearest to them, or last over the pile."""
        hand = self._visits.hand_that_put_down(seen[-1].seen) if seen else None
        touched = self._touched_at(now)
        return touched if hand is None else min(hand.t, touched)

    def _touched_at(self, now: float) -> float:
        return self.touched if self.touched is not None else now

    def _suspect(self, now: float) -> None:
        """Remember cards that were read with the last play: they may lie below its cards.

        A card of its rank that was plainly read, with and without a hand over it, is reported at once. One of
        another rank did not come with the play if it was in sight before. If one of its rank and colour lay
        there, it is most likely that one.
        """
        last = self._play_log.last
        if last is None:
            return
        known = set(self.pile.names) | self._elsewhere()
        read = self._under_hand.lately(now)
        shown = [seen for look in self._looks for seen in look if seen.best[1] >= MIN_NAME_P]
        for name in sorted({str(seen.best[0]) for seen in (*read, *shown)} - known):
            looks, free = ([seen for seen in those if seen.best[0] == name] for those in (read, shown))
            if rank_of(name) != rank_of(last.cards[-1]):
                surely = len(free) >= AGREEING_LOOKS and all(s.best[1] >= LIKELY for s in (*looks, *free))
                lay_there = name in self._new_cards.in_sight_before_play
                if surely and not lay_there and not alike_lies_at(name, free[-1], self.pile.cards):
                    self._play_log.suspect(name, free[-1])
                continue
            if max(len(looks), len(free)) >= AGREEING_LOOKS:
                self._play_log.suspect(name, (looks if len(looks) >= AGREEING_LOOKS else free)[-1])
            first_seen = copies(name, self.pile.packs) == 1 and name not in self._new_cards.in_sight
            card = plainly_read(looks, free, first_seen=first_seen)
            if card is not None and not self._pictures.since_play().lay_there(card.seen):
                self._play_log.suspect(name, card.seen)
                self._reveal([card], now)

    def settle_by_draw(self, player: str | None, count: int, now: float) -> None:
        """Add cards below the last play if its player draws for more cards than were seen."""
        last, covered = self._play_log.last, self.touched is not None
        looks = [] if last is None else self._visits.looks_since(last.t, self._looks if covered else ())
        half_read = self._new_cards.half_read(looks, self._elsewhere(), covered=covered)
        if below := self._play_log.reveal_drawn_for(player, count, now, half_read):
            self.pile.put(below, below=True)
        elif self.touched is None and (
            like := infer_stacked_duplicate(self._scene, self.pile, self._visits, player)
        ):
            self.pile.put([like.card])
            self._play_log.report(player, [like.card], "hand", like.t, now)
            self._visits.told_play(now)

    def _reveal(self, seen: Sequence[NewCard], now: float) -> list[NewCard]:
        """Add cards suspected below an earlier play to that play; return the others.

        If another player has reached there since and nothing else is new, that player put them down.
        """
        hidden = [*{c.name: c for c in seen if self._play_log.is_suspected(c.name, c.seen)}.values()]
        by = ((card.name, self._visits.player_at(card.seen)) for card in hidden)
        if len(hidden) == len(seen) and any(self._play_log.lies_below_anothers(*put) for put in by):
            return list(seen)
        for card in hidden:
            self._play_log.reveal(card.name, now)
        self.pile.put(hidden, below=True)
        return [card for card in seen if card not in hidden]

    def _without_mates_of_last(self, new: list[NewCard], player: str | None, now: float) -> list[NewCard]:
        """Return new cards without those that came with the last play, beneath its cards or those on it.

        Cards that are put down together nearly always have one rank. Those of the last play's rank are added
        to it if they are surely read; else they are its own cards, misread. Its own player's hand may have
        hidden them until a draw. So those below its cards came with it, too.
        """
        last = self._play_log.newest_but_draws
        if last is None:
            return new
        own, drew = last.player == player, self._play_log.newest is None
        if own != drew:
            return new
        mates = [card for card in new if card.rank == rank_of(last.cards[-1])]
        own_lie_on_top = drew and (
            not self.pile.lie_below_top(mates, self._looks) or self._came_after_draw(mates)
        )
        if not mates or own_lie_on_top or (len(mates) == len(new) and not drew):
            return new
        sure = [card for card in mates if card.read >= LIKELY]
        if sure:
            self.pile.put(sure, below=True)
            self._play_log.add_to_last([card.name for card in sure], now)
        return [card for card in new if card not in mates]

    def _came_after_draw(self, cards: Sequence[NewCard]) -> bool:
        """Return whether looks still showed the uncovered pile without each card after the last draw."""
        drew = self._scene.log.last
        return drew is not None and all(self._visits.when_it_came(c.seen)[0] > drew.t for c in cards)

    def _find_overlooked(self, now: float) -> None:
        """Add cards that only later looks show to the last play, or report them as another player's play."""
        last = self._play_log.newest
        if last is None or len(self._looks) < AGREEING_LOOKS or not set(last.cards) & set(self.pile.names):
            return
        missed = self._new_cards.missed(last, self._looks, self._elsewhere())
        missed = self._without_last_again(missed)
        others = {self._scene.player(seat) for seat in self._visits.seats_since_play} - {last.player}
        if missed and others and all(card.rank != rank_of(last.cards[-1]) for card in missed):
            self.touched = self._visits.settled_at
            self._played(missed, now, self._as_left, unpictured=True)
        elif missed:
            self.pile.put(missed, below=True)
            self._play_log.add_to_last([card.name for card in missed], now)

    def _without_last_again(self, cards: Sequence[NewCard]) -> list[NewCard]:
        """Return cards without those of the last play that are only read at another place than before.

        Nobody has touched the pile since. So a second copy must be seen together with the first.
        """
        last = () if self._play_log.newest is None else self._play_log.newest.cards
        return _without_rereads(cards, last, self._looks)

    def _find_tossed(self, now: float, patch: Patch | None) -> bool:
        """Report cards that came to lie on the pile with no arm over it; return whether there were any."""
        left = self._scene.arm_seen
        if now - left > _TOSSED_SECONDS or len(self._looks) < AGREEING_LOOKS:
            return False
        tossed = self._without_last_again(
            self._new_cards.plainly_new(self._view(self._looks[-AGREEING_LOOKS:]))
        )
        if tossed:
            self.touched = min(now, left)
            self._played(tossed, now, patch)
        return bool(tossed)

    # -- cards under a hand ------------------------------------------------------------------------

    def _left_behind(self, held: UnderArm) -> bool:
        """Return whether a hand has left, or is leaving, a card that still touches its arm in the picture."""
        return held.covered < _GLIMPSE_COVERED or self._scene.is_left_behind(held)

    def _seen_under_hand(self, now: float) -> list[NewCard]:
        """Return cards surely read under a hand but never free, without those that another player holds."""
        ranks = {card.rank for card in self._reported_early}
        held = self._scene.held_by_others(self._visits.who())
        known = {*self.pile.names, *self._elsewhere(), *self._new_cards.in_sight, *held}
        twice = [n for n in self.pile.names if rank_of(n) in ranks and self.pile.may_have_another(n)]
        return self._under_hand.sure(known, now, ranks) + self._under_hand.beside(twice, now)

    def _judge_passed_through(self, names: Sequence[str], now: float, patch: Patch | None) -> None:
        """Judge cards that rested on the empty pile under a hand and went with it.

        If the hand went on to the burn pile, they were played and burnt. Otherwise the hand never let go of
        them.
        """
        seat = self._visits.who()
        reach = self._scene.last_reach(seat)
        if seat is None or reach is None:
            self._settle(now, patch)
        elif self._taking.went_on_to_burn_pile(Taken(seat, reach, tuple(names), self._visits.settled_at)):
            self._gone(now, patch)
        elif now - reach.last_seen > ARM_SECONDS:
            self._settle(now, patch)

    # -- cards taken off ---------------------------------------------------------------------------

    def _was_taken_before(self, view: PileView) -> bool:
        """Return whether the pile was taken unseen, before another player put down the new cards.

        Then nothing else lies there, and the part of the old top card that they leave uncovered is bare.
        """
        top = self.pile.cards[-1].place if self.pile.cards else None
        if top is None or not view.new or view.old or view.confidence < CERTAIN:
            return False
        hand = self._visits.hand_that_took(self._last_seen_at)
        new = [card.seen for card in view.new]
        others = hand is not None and hand.seat != self._visits.who_put_down(new[-1])
        return others and self._pictures.since_left.is_bare_beside(top, new)

    def _gone(self, now: float, patch: Patch | None) -> None:
        """Note that the pile was taken away, with cards put on it that were never seen free."""
        self._take_all(now)
        self._settle(now, patch)

    def _take_all(self, now: float) -> None:
        """Give the pile to the player whose hand was there when it was last seen, or later."""
        aside = self._taking.hand_that_put_aside(self.pile.names, self._last_seen_at)
        hand = aside or self._visits.hand_that_took(self._last_seen_at)
        seat = self._visits.who(self._last_seen_at) if hand is None else hand.seat
        if aside is None and hand is not None and self._lifted_by in hand.rivals:
            seat = self._lifted_by
        if unseen := self._seen_under_hand(now):
            self.touched = self._under_hand.since({card.name for card in unseen}, now)
            self._played(without_doubtful(unseen), now, None, unpictured=True)
        if not self._taking.may_take_the_rest(seat):
            self._before_action(seat, now, took_pile=True)
        if seat is not None:
            own = hand if hand is not None and hand.seat == seat else None
            self._taking.took_whole(
                seat, tuple(self.pile.names), now, self._last_seen_at, own, aside=aside is not None
            )
        self._under_hand.taken_off(self.pile.names, now)
        self.pile.cards.clear()
        self._before_last = None
        self._play_log.pile_gone()

    def _top_taken(self, keep: int, now: float, patch: Patch | None) -> None:
        """Note that only the lowest `keep` cards are left.

        This is the first half of a pick-up in two goes, or a taking back.
        """
        seat = self._visits.who()
        if keep and seat is not None:
            gone = tuple(self.pile.names[keep:])
            self._taking.took_part(seat, gone, now, surely=self._new_cards.is_top_gone())
            self._under_hand.taken_off(gone, now)
            del self.pile.cards[keep:]
            self._before_last = None
        self._settle(now, patch)

    def _nothing_new(self, now: float, patch: Patch | None) -> None:
        """Settle an unchanged pile; a hand laid on the bare place may pick up an empty pile."""
        self.pile.place_again(self._looks)
        tapped = self._scene.tapped(self._visits.settled_at - 0.3)
        if not self.pile.cards and self._taking.whole is None and self._scene.owes_an_answer(tapped):
            self._before_action(tapped, now)
            t, player = self._touched_at(now), self._scene.player(tapped)
            self._scene.log.add("pick_up", t, now, player=player, cards=(), confidence=0.6)
        self._settle(now, patch)
        self._under_hand.forget()
        self._find_overlooked(now)


def _without_rereads(
    cards: Iterable[NewCard], told: Collection[str], looks: Sequence[Sequence[Observation]]
) -> list[NewCard]:
    """Return cards without those already told, unless looks show two of that name at once.

    A single card may be read at another place than before.
    """

    def are_two(name: str) -> bool:
        return sum(sum(card.best[0] == name for card in look) > 1 for look in looks) >= AGREEING_LOOKS

    return [card for card in cards if card.name not in told or are_two(card.name)]
