"""Reports plays, and corrects them when more of their cards are found or one was misread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.events import TAKES_PILE, Event, EventKind, Source
from vision.decks.card_classes import rank_of
from vision.following.pile_geometry import roughly_at
from vision.following.scene import JUST_SECONDS, Scene
from vision.following.sets import NewCard
from vision.questions import UNREAD_CARD, format_question
from vision.table.observations import Observation
from vision.types import UNKNOWN_CARD

_SET_SECONDS = 4.5
"""Cards of one rank are one set if one player puts each down within this time after the one before."""
_ONE_GO_SECONDS = 1.4
"""Cards of any ranks that one player puts down within this time are one play. Nobody takes two turns that
quickly. Whether the cards may be played together is not decided here."""
_OFFERED_NAMES = 3
"""Number of readings that are offered for a card that cannot be read."""
_LOST_ARM_SECONDS = 0.7
"""An arm that is lost from sight no longer than this has not left."""


class _Suspect(NamedTuple):
    """A card that may lie below those of a play."""

    play: Event
    """The play in its first form."""
    place: Observation
    of_its_rank: bool
    """Whether it has the play's rank. If not, only a draw can prove that it lies there."""


class PlayLog:
    """Reports plays, and remembers the last one to add cards to it."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._last: Event | None = None
        self._put_down_at = -math.inf
        """When the last card of that play was put down; the event has the time of the first card."""
        self._on_pile: list[Event] = []
        """The plays whose cards lie on the pile, in their first forms."""
        self._suspects: dict[str, _Suspect] = {}
        """Cards that may lie in the pile. Those of the last play are kept when the pile has gone, because its
        player may yet draw for them."""
        self._owed = 0
        """How many cards the last play's player owed before it."""

    @property
    def last(self) -> Event | None:
        """The last play in its latest form; None before the first play, or if it was withdrawn."""
        last = None if self._last is None else self._scene.log.latest(self._last)
        return None if last is None or last.withdrawn else last

    @property
    def newest(self) -> Event | None:
        """The last play, if nothing has happened since."""
        last = self.last
        return last if last is not None and self._scene.log.is_newest(last) else None

    @property
    def newest_but_draws(self) -> Event | None:
        """The last play, if nothing has happened since but draws of its player."""
        last = self.last
        if last is None:
            return None
        since = self._scene.log.since(last)
        return last if all((act.event, act.player) == ("draw", last.player) for act in since) else None

    def is_other_rank_of_last(self, player: str | None, names: Sequence[str], t: float) -> bool:
        """Return whether cards belong to the play just reported, and differ in rank from its top card."""
        last = self.newest
        if last is None or rank_of(names[-1]) == rank_of(last.cards[-1]):
            return False
        return self._belong_to(last, player, names, t)

    def report(
        self,
        player: str | None,
        new: Sequence[NewCard],
        source: Source,
        t: float,
        now: float,
        *,
        below: bool = False,
    ) -> Event:
        """Report a play, or add cards to the play just reported if they were put down together.

        `below`: the cards lie below those reported before. Return the play; with added cards it is a
        revision. The players are asked about a card that cannot be read, and are offered its likeliest names.
        """
        log, last = self._scene.log, self.newest
        names, p = tuple(card.name for card in new), min(card.p for card in new)
        if last is not None and self._belong_to(last, player, names, t):
            joined = _joined(last.source, source)
            joined_kind: EventKind = "flip" if joined == "down" else "play"
            # The time of the first sight stands, because cards found later may have lain there all along.
            cards = names + last.cards if below else last.cards + names
            told = log.revise(last, now, event=joined_kind, cards=cards, source=joined)
        else:
            kind: EventKind = "flip" if source == "down" else "play"
            before = log.put_down_by(player)
            self._owed = 0 if before is None else before.count
            told = self._last = log.add(kind, t, now, player=player, cards=names, source=source, confidence=p)
            self._on_pile.append(told)
        self._put_down_at = t
        if UNKNOWN_CARD in names:
            may_be = _may_be(card.seen for card in new if card.name == UNKNOWN_CARD)
            about = {"concerns": told.revise or told.id, "cards": may_be}
            log.add("unclear", t, now, player=player, says=format_question(UNREAD_CARD, player), **about)
        return told

    def _belong_to(self, last: Event, player: str | None, names: Sequence[str], t: float) -> bool:
        """Return whether cards that a player put down at `t` belong to the last play."""
        if last.player != player:
            return False
        one_rank = {rank_of(name) for name in (*last.cards, *names)} == {rank_of(names[0])}
        together = t - self._put_down_at < _SET_SECONDS if one_rank else t - last.t < _ONE_GO_SECONDS
        # Cards put down in one reach are one play: the hand only hid some of them until now.
        return together or self.in_one_reach(last, t)

    def in_one_reach(self, play: Event, t: float) -> bool:
        """Return whether the hand that played stayed over the table until `t`, apart from a moment.

        A hand last seen behind its player's row has left, however soon it is back.
        """
        seats = self._scene.layout.seats
        own = [r for r in self._scene.reaches if seats[r.seat].player == play.player and r.start <= t]
        since = [reach for reach in own if reach.last_seen >= play.t]
        gone = any(
            later.start - earlier.last_seen >= _LOST_ARM_SECONDS
            or seats[earlier.seat].is_on_player_side(earlier.tip)
            for earlier, later in pairwise(since)
        )
        if gone or not since:
            return False
        left = self._scene.by_hands and t - since[-1].last_seen >= _LOST_ARM_SECONDS
        return since[0].start <= play.t and not left

    def just_told(self, now: float) -> Event | None:
        """Return the last play if its cards may only now be seen well."""
        last = self.last
        return last if last is not None and now - last.t <= _SET_SECONDS + JUST_SECONDS else None

    def play_of(self, name: str) -> Event | None:
        """Return the latest play that put a card on the pile, in its latest form; None if none did."""
        plays = (self._scene.log.latest(play) for play in reversed(self._on_pile))
        return next((play for play in plays if name in play.cards and not play.withdrawn), None)

    def rename(self, old: str, new: str, now: float) -> None:
        """Revise a play: a card on the pile was misread when it was put down."""
        play = self.play_of(old)
        if play is not None:
            at = play.cards.index(old)
            self._scene.log.revise(play, now, cards=(*play.cards[:at], new, *play.cards[at + 1 :]))

    def add_to_last(self, names: Sequence[str], now: float) -> None:
        """Revise the last play: it had more cards, below those seen at first."""
        last = self.last
        if last is not None:
            self._scene.log.revise(last, now, cards=(*names, *last.cards))

    # -- cards that may lie below a play's others -----------------------------------------------------

    def suspect(self, name: str, place: Observation) -> None:
        """Note that a card may lie below those of the last play; one of its rank is the better guess."""
        last = self.last
        if self._last is None or last is None:
            return
        of_its_rank = rank_of(name) == rank_of(last.cards[-1])
        if of_its_rank or self._of_its_rank(name) is None:
            self._suspects[name] = _Suspect(self._last, place, of_its_rank)

    def _of_its_rank(self, name: str) -> _Suspect | None:
        """Return where a card of a play's rank may lie below it; None if none: another rank proves little."""
        suspect = self._suspects.get(name)
        there = suspect is not None and suspect.of_its_rank and suspect.play in self._on_pile
        return suspect if there else None

    def lies_below_anothers(self, name: str, player: str | None) -> bool:
        """Return whether a card may lie below the set of a player other than this one, as a part of it."""
        suspect = self._of_its_rank(name)
        return suspect is not None and player not in (None, self._scene.log.latest(suspect.play).player)

    def is_suspected(self, name: str, place: Observation) -> bool:
        """Return whether a card was suspected to lie about there, below others of its rank."""
        suspect = self._of_its_rank(name)
        return suspect is not None and roughly_at(suspect.place, place)

    def reveal(self, name: str, now: float) -> None:
        """Revise an earlier play: a suspected card does lie below it."""
        self._reveal_below(self._suspects.pop(name).play, name, now)

    def _reveal_below(self, play: Event, name: str, now: float) -> None:
        play = self._scene.log.latest(play)
        if not play.withdrawn:
            self._scene.log.revise(play, now, cards=(name, *play.cards))

    def reveal_drawn_for(
        self, player: str | None, count: int, now: float, half_read: Sequence[NewCard]
    ) -> list[NewCard]:
        """Add suspected cards to the last play if its player has drawn more cards than were seen.

        Their number must equal the surplus. Otherwise the `half_read` cards are added if their number does.
        If the pile was taken or burnt since, and nothing else has happened, they went with it. Return the
        cards that still lie there.
        """
        last = self.last
        if last is None or last.player != player:
            return []
        too_many = count - self._owed - len(last.cards)
        of_last = [(name, suspect) for name, suspect in self._suspects.items() if suspect.play is self._last]
        of_rank = [NewCard(name, 0.5, suspect.place) for name, suspect in of_last if suspect.of_its_rank]
        others = [NewCard(name, 0.5, suspect.place) for name, suspect in of_last if not suspect.of_its_rank]
        may_be = (of_rank, [*others, *of_rank], list(half_read))
        below = next((cards for cards in may_be if len(cards) == too_many), [])
        gone = self._last not in self._on_pile
        if gone and below and not self._went_too([card.name for card in below], last.cards[0], now):
            return []
        for card in below:
            self._suspects.pop(card.name, None)
            self._reveal_below(last, card.name, now)
        return [] if gone else below

    def _went_too(self, names: Sequence[str], upon: str, now: float) -> bool:
        """Add cards below `upon` to the last event if that took or burnt this card; return whether it did."""
        took = self._scene.log.last
        if took is None or took.event not in TAKES_PILE or upon not in took.cards:
            return False
        at = took.cards.index(upon)
        self._scene.log.revise(took, now, cards=(*took.cards[:at], *names, *took.cards[at:]))
        return True

    def pile_gone(self) -> None:
        """Note that the pile has gone, together with all cards that may lie in it."""
        self._on_pile.clear()
        self._suspects = {name: s for name, s in self._suspects.items() if s.play is self._last}


def _joined(first: Source | None, second: Source) -> Source:
    """Return the source of cards that were put down together from two sources.

    A face-down card is flipped alone. If it came with others, it came by way of the hand.
    """
    if first == second:
        return second
    return "hand" if {first, second} == {"hand", "down"} else "hand+up"


def _may_be(unread: Iterable[Observation]) -> tuple[str, ...]:
    """Return the possible names of cards that cannot be read, likeliest first."""
    odds = sorted(((p, name) for seen in unread for name, p in seen.probabilities.items()), reverse=True)
    return tuple(dict.fromkeys(name for _, name in odds))[:_OFFERED_NAMES]
