"""What was seen to happen at the table: the events that `vision` reports and the referee judges.

The JSON form is the line that `shithead watch` prints for each event.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from engine.errors import BadInputError
from engine.event_fields import check_fields

EventKind = Literal[
    "deal",
    "exchange",
    "play",
    "flip",
    "take_up",
    "take_down",
    "pick_up",
    "burn",
    "show",
    "draw",
    "recount",
    "out",
    "game_over",
    "late_breach",
    "unclear",
]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
TAKES_PILE: tuple[EventKind, ...] = ("pick_up", "burn")
"""What takes away all that lies on the play pile."""
Source = Literal["hand", "up", "down", "hand+up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened, as public information only.

    Cards are written as in the contract: rank + suit (`10H`), `JOKER`, or `??` for one that nobody has
    identified. Times are seconds of the source.
    """

    id: int
    """Number of the event in its game, from 1, in order of decision."""
    event: EventKind
    t: float = 0.0
    """When the cards came to rest."""
    decided_at: float = 0.0
    """When this was decided, on the same clock as `t`."""
    player: str | None = None
    """Who did it; None where nobody in particular did (deal, game_over) or it is not known."""
    cards: tuple[str, ...] = ()
    """The cards that moved; for a set, in the order in which they lie, lowest first.

    For `unclear`: what a card that was not read may be, the likeliest first.
    """
    source: Source | None = None
    """Where played cards came from."""
    to: str | None = None
    """Whom a card was shown to."""
    answers: tuple[tuple[str, str], ...] = ()
    """The answers to a shown card: (from, to), in order."""
    answered_from: Literal["hand", "up", "down"] | None = None
    count: int | None = None
    """How many cards moved where their faces were not seen (draw, exchange), or a partial pick-up.

    For `recount`: how many more cards the player has than were counted, in `source` (None: in the hand).
    """
    up: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For `deal` and `exchange`: the face-up cards in front of each player afterwards."""
    loser: str | None = None
    confidence: float = 1.0
    """Calibrated probability that the event happened as described."""
    revise: int | None = None
    """The id of an earlier event that this one replaces."""
    withdrawn: bool = False
    """With `revise`: the earlier event did not happen at all."""
    concerns: int | None = None
    """For `late_breach`: the id of the event that was not allowed. For `unclear`: that of the event which is
    asked about."""
    breach: dict[str, Any] | None = None
    """For `late_breach`: rule, cite, quote, says, form and facts, as in a ruling."""
    says: str | None = None
    """For `unclear`: what was seen and what is asked, in words. For `late_breach`: what is proven."""

    def to_json(self) -> dict[str, Any]:
        """Return the contract's JSON object, less fields that say nothing."""
        line: dict[str, Any] = {"t": round(self.t, 3), "event": self.event}
        if self.player is not None:
            line["player"] = self.player
        if self.cards or self.event in ("play", "show", "pick_up", "burn"):
            line["cards"] = list(self.cards)
        for name in (
            "source",
            "to",
            "answered_from",
            "count",
            "loser",
            "revise",
            "concerns",
            "breach",
            "says",
        ):
            value = getattr(self, name)
            if value is not None:
                line[name] = value
        if self.answers or self.event == "show":
            line["answers"] = [list(answer) for answer in self.answers]
        if self.up:
            line["up"] = {player: list(cards) for player, cards in self.up.items()}
        if self.withdrawn:
            line["withdrawn"] = True
        line |= {
            "confidence": round(self.confidence, 4),
            "decided_at": round(self.decided_at, 3),
            "id": self.id,
        }
        return line

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Event:
        """Build an event from the contract's JSON object; unknown fields are passed over.

        Raises:
            BadInputError: the event's kind is unknown, or a field has the wrong form.
        """
        kind = line.get("event")
        if kind not in EVENT_KINDS:
            raise BadInputError(
                "event {kind} is not one of: {known}",
                kind=json.dumps(kind)[:60],
                known=", ".join(EVENT_KINDS),
            )
        try:
            check_fields(line)
        except BadInputError as error:
            raise BadInputError("event {kind!r}: {reason}", kind=kind, reason=error) from None
        fields: dict[str, Any] = {name: line[name] for name in _PLAIN if line.get(name) is not None}
        try:
            fields["cards"] = tuple(str(card) for card in line.get("cards") or ())
            fields["answers"] = tuple((str(a), str(b)) for a, b in line.get("answers") or ())
            fields["up"] = {str(p): tuple(map(str, cards)) for p, cards in (line.get("up") or {}).items()}
            for name in ("t", "decided_at", "confidence"):
                if name in fields:
                    fields[name] = float(fields[name])
            return cls(id=int(line.get("id") or 0), **fields)
        except (TypeError, ValueError, AttributeError) as error:
            raise BadInputError(
                "event {kind!r} has a field of the wrong form: {reason}", kind=kind, reason=error
            ) from None

    def renumbered(self, new_id: int) -> Event:
        """Return the same event under another id."""
        return replace(self, id=new_id)


_OPTIONAL = ("source", "to", "answered_from", "count", "loser", "revise", "concerns", "breach", "says")
_PLAIN = (
    "event",
    "t",
    "decided_at",
    "player",
    "source",
    "to",
    "answered_from",
    "count",
    "loser",
    "confidence",
    "revise",
    "withdrawn",
    "concerns",
    "breach",
    "says",
)
