"""Define the events that `vision` reports and the referee judges.

The JSON form is the line that `shithead watch` prints for each event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from engine.errors import BadInputError
from engine.fields import (
    ANSWER_SOURCES,
    MOST_NUMBER,
    SOURCES,
    PlayerNameReader,
    read_cards,
    read_choice,
    read_count,
    read_flag,
    read_number,
    read_table,
    read_text,
)

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
    "consequence",
    "unclear",
]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
REMARKS: tuple[EventKind, ...] = ("late_breach", "unclear")
"""They say something about the game. They change nothing on the table."""
PUTS_ON_PILE: tuple[EventKind, ...] = ("play", "flip")
"""They put cards on the play pile."""
PUTS_DOWN: tuple[EventKind, ...] = (*PUTS_ON_PILE, "show")
"""In them a player puts cards on the table."""
TAKES_PILE: tuple[EventKind, ...] = ("pick_up", "burn")
"""They take away the whole play pile."""
FLAGS = ("withdrawn", "under_way", "unseen", "face_up")
"""The fields of an event that say yes or no."""
Consequence = Literal["taken_back", "picked_up", "stands", "by_rule"]
"""The players' choice after a breach; `says` of a `consequence`. `by_rule`: what their house rule says."""
Source = Literal["hand", "up", "down", "hand+up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened, as public information only.

    Cards are written as in `docs/files.md`: rank + suit (`10H`), `JOKER`, or `??` for one that nobody has
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
    """The player who acted. None if there is no such player (deal, game_over) or they are not known."""
    cards: tuple[str, ...] = ()
    """The cards that moved; for a set, in the order in which they lie, lowest first.

    For a `deal` under way: the play pile, as far as it was seen. For `unclear`: what a card that was not read
    may be, the likeliest first.
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
    under_way: bool = False
    """For `deal`: whether the game was already going on when the table was first seen."""
    unseen: bool = False
    """Whether others may have acted since the event before, or in its place: a body hid the play pile."""
    face_up: bool = False
    """For `burn`: whether the pile lies face up where no burn pile was. It may only have been moved."""
    concerns: int | None = None
    """For `late_breach` and `consequence`: the id of the event that was not allowed. For `unclear`: the id
    of the event in question."""
    breach: dict[str, Any] | None = None
    """For `late_breach` and `consequence`: rule, cite, quote, says, form and facts, as in a ruling."""
    says: str | None = None
    """For `unclear`: what was seen and what is asked, in words. For `late_breach`: what is proven. For
    `consequence`: what the players did about a breach, a `Consequence`."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `docs/files.md`, without fields that say nothing."""
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
        line |= {name: True for name in FLAGS if getattr(self, name)}
        line |= {
            "confidence": round(self.confidence, 4),
            "decided_at": round(self.decided_at, 3),
            "id": self.id,
        }
        return line

    @classmethod
    def from_json(cls, line: Mapping[str, Any], players: Sequence[str] | None = None) -> Event:
        """Build an event from the JSON object of `docs/files.md`; unknown fields are passed over.

        Args:
            line: the object.
            players: who sits at the table; None: any name will do.

        Raises:
            BadInputError: the event's kind is unknown, or a field has the wrong form; the message names it.
        """
        kind = line.get("event")
        if kind not in EVENT_KINDS:
            raise BadInputError(
                "event {kind} is not one of: {known}",
                kind=json.dumps(kind)[:60],
                known=", ".join(EVENT_KINDS),
            )
        try:
            return cls(event=kind, **_fields(line, PlayerNameReader(players)))
        except BadInputError as error:
            raise BadInputError("event {kind!r}: {reason}", kind=kind, reason=error) from None

    def names(self) -> Iterator[str]:
        """Yield every player whom the event names as acting, as shown a card, or as the loser."""
        for name in (self.player, self.to, self.loser, *(name for pair in self.answers for name in pair)):
            if name is not None:
                yield name

    def renumbered(self, new_id: int) -> Event:
        """Return the same event under another id."""
        return replace(self, id=new_id)


def _fields(line: Mapping[str, Any], names: PlayerNameReader) -> dict[str, Any]:
    """Read every field of an event line but its kind; those that are absent or null are left out."""
    up = read_table(line.get("up"), "up")
    fields: dict[str, Any] = {
        "id": read_count(line.get("id"), "id", MOST_NUMBER) or 0,
        "t": read_number(line.get("t"), "t", -MOST_NUMBER, MOST_NUMBER),
        "decided_at": read_number(line.get("decided_at"), "decided_at", -MOST_NUMBER, MOST_NUMBER),
        "player": names.read(line.get("player"), "player"),
        "cards": read_cards(line.get("cards"), "cards", sizes=False),
        "source": read_choice(line.get("source"), "source", SOURCES),
        "to": names.read(line.get("to"), "to"),
        "answers": names.pairs(line.get("answers"), "answers"),
        "answered_from": read_choice(line.get("answered_from"), "answered_from", ANSWER_SOURCES),
        "count": read_count(line.get("count"), "count"),
        "up": {
            names.require(player, "up"): read_cards(cards, "up", sizes=False) or ()
            for player, cards in up.items()
        },
        "loser": names.read(line.get("loser"), "loser"),
        "confidence": read_number(line.get("confidence"), "confidence", 0, 1),
        "revise": read_count(line.get("revise"), "revise", MOST_NUMBER),
        **{name: read_flag(line.get(name), name) for name in FLAGS},
        "concerns": read_count(line.get("concerns"), "concerns", MOST_NUMBER),
        "breach": _breach(line.get("breach")),
        "says": read_text(line.get("says"), "says"),
    }
    # Truth files and the store hold these fields too, so they are checked as well.
    for name in ("t_start", "t_end"):
        read_number(line.get(name), name, -MOST_NUMBER, MOST_NUMBER)
    for name in ("rule", "verdict"):
        read_text(line.get(name), name)
    return {name: value for name, value in fields.items() if value is not None}


def _breach(value: Any) -> dict[str, Any] | None:
    """Read the breach of a `late_breach`."""
    if value is None:
        return None
    breach = dict(read_table(value, "breach"))
    for part in ("rule", "cite", "quote", "says"):
        read_text(breach.get(part), f"breach's {part}")
    return breach


class EventLineReader:
    """Reads the event lines of one game, and sees to it that no two have one id.

    Args:
        players: who sits at the table; None: any name will do.
    """

    def __init__(self, players: Sequence[str] | None = None) -> None:
        self._players = players
        self._ids: set[int] = set()

    def read(self, line: Mapping[str, Any]) -> Event:
        """Read a line.

        Raises:
            BadInputError: a field has the wrong form, a name is not at the table, or an id comes twice.
        """
        return self.take(Event.from_json(line, self._players))

    def take(self, event: Event) -> Event:
        """Take in an event that was read otherwise; id 0 is none.

        Raises:
            BadInputError: an earlier one has its id, or it names somebody who is not at the table.
        """
        names = PlayerNameReader(self._players)
        for name in (*event.names(), *event.up):
            names.require(name, "player")
        # A withdrawal may repeat the id of the event that it withdraws.
        if event.id and event.id != event.revise:
            if event.id in self._ids:
                raise BadInputError("event {event_id} appears twice", event_id=event.id)
            self._ids.add(event.id)
        return event
