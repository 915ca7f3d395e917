"""The table of a simulated game as it unfolds step by step, every card in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.simulation.play import CompiledRules
from engine.simulation.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Where every card lies at one moment. Up- and down-cards stay in their places: None is an empty one."""

    turn: str | None
    pile: tuple[str, ...]
    """Bottom first."""
    draw_pile: tuple[str, ...]
    """The next card to be drawn first."""
    burned: tuple[str, ...]
    """In the order in which they were burned."""
    hands: dict[str, tuple[str, ...]]
    up: dict[str, tuple[str | None, ...]]
    down: dict[str, tuple[str | None, ...]]

    def up_cards(self) -> dict[str, tuple[str, ...]]:
        """Return the up-cards that lie in front of each player, without the empty places."""
        return {player: tuple(c for c in places if c is not None) for player, places in self.up.items()}


class Unfolding:
    """Follows a game in text, place by place, so that a film can show each movement.

    Args:
        game: the compiled ruleset.
        players: names, clockwise.
        table: the table just dealt.
    """

    def __init__(self, game: CompiledRules, players: Sequence[str], table: Table) -> None:
        text = game.pack.text
        self.players = tuple(players)
        self.turn = -1
        self.pile: tuple[str, ...] = ()
        self._draw_pile = list(game.pack.texts(table.deck))
        self._burned: list[str] = []
        self._hands = [list(text(hand)) for hand in table.hands]
        self._up: list[list[str | None]] = [list(text(up)) for up in table.ups]
        self._down: list[list[str | None]] = [list(text(down)) for down in table.downs]

    def snapshot(self) -> Snapshot:
        """Return the present moment."""
        names = self.players
        return Snapshot(
            turn=names[self.turn] if self.turn >= 0 else None,
            pile=self.pile,
            draw_pile=tuple(self._draw_pile),
            burned=tuple(self._burned),
            hands={name: tuple(hand) for name, hand in zip(names, self._hands, strict=True)},
            up={name: tuple(up) for name, up in zip(names, self._up, strict=True)},
            down={name: tuple(down) for name, down in zip(names, self._down, strict=True)},
        )

    def empty_table(self) -> Snapshot:
        """Return the moment before the deal: all cards lie on the draw pile, as they will be dealt."""
        rows: list[Sequence[str | None]] = [*self._down, *self._up, *self._hands]
        dealt = [card for row in rows for card in row if card is not None]
        nothing: dict[str, tuple[str, ...]] = dict.fromkeys(self.players, ())
        return Snapshot(
            turn=None,
            pile=(),
            draw_pile=(*dealt, *self._draw_pile),
            burned=(),
            hands=nothing,
            up=dict(nothing),
            down=dict(nothing),
        )

    def exchange(self, seat: int, hand_out: Sequence[str], up_out: Sequence[str]) -> None:
        """Put hand cards into the places of up-cards."""
        for given, taken in zip(hand_out, up_out, strict=True):
            self._hands[seat].remove(given)
            self._up[seat][self._up[seat].index(taken)] = given
            self._hands[seat].append(taken)

    def play(self, seat: int, hand: Sequence[str], up: Sequence[str], cards: Sequence[str]) -> None:
        """Move cards to the pile; `cards` is the order in which they lie."""
        for card in hand:
            self._hands[seat].remove(card)
        for card in up:
            self._up[seat][self._up[seat].index(card)] = None
        self.pile = (*self.pile, *cards)

    def flip(self, seat: int, card: str) -> None:
        """Turn a down-card onto the pile."""
        self._down[seat][self._down[seat].index(card)] = None
        self.pile = (*self.pile, card)

    def take_up(self, seat: int, cards: Sequence[str]) -> None:
        """Move up-cards into the hand."""
        for card in cards:
            self._up[seat][self._up[seat].index(card)] = None
            self._hands[seat].append(card)

    def take_down(self, seat: int, card: str) -> None:
        """Move a down-card into the hand."""
        self._down[seat][self._down[seat].index(card)] = None
        self._hands[seat].append(card)

    def pick_up(self, seat: int) -> None:
        """Move the pile into a hand."""
        self._hands[seat].extend(self.pile)
        self.pile = ()

    def burn(self, cards: Sequence[str]) -> None:
        """Move cards from the pile to the burn pile."""
        rest = list(self.pile)
        for card in cards:
            rest.remove(card)
        self.pile = tuple(rest)
        self._burned.extend(cards)

    def show(self, seat: int, cards: Sequence[str], answers: Sequence[tuple[str, str]]) -> None:
        """Burn the shown cards and those they were answered with (player, card)."""
        for card in cards:
            self._hands[seat].remove(card)
            self._burned.append(card)
        for player, card in answers:
            giver = self.players.index(player)
            if card in self._hands[giver]:
                self._hands[giver].remove(card)
            else:
                self._up[giver][self._up[giver].index(card)] = None
            self._burned.append(card)

    def draw(self, seat: int, count: int) -> tuple[str, ...]:
        """Move cards from the draw pile into a hand and return them."""
        drawn = tuple(self._draw_pile[:count])
        del self._draw_pile[:count]
        self._hands[seat].extend(drawn)
        return drawn
