"""An evening of games at one table: who deals, who lost how often, what is sung."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.deals import left_of
from engine.judging.questions import next_dealer
from engine.referee.referee import Referee
from engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """The state between two games. Immutable: `after` gives the sitting with one more game."""

    rules: Ruleset
    players: tuple[str, ...]
    dealer: str | None = None
    """Who deals the coming game, if it is settled."""
    loser: str | None = None
    """The Shithead of the last game."""
    losses: Mapping[str, int] = field(default_factory=dict)
    games: int = 0

    @property
    def starter(self) -> str | None:
        """Who starts the coming game, where no card decides it."""
        mechanics = self.rules.mechanics
        if mechanics.start == "left-of-dealer" and self.dealer is not None:
            return left_of(self.players, self.dealer)
        return self.loser if mechanics.start_loser else None

    def referee(self) -> Referee:
        """Return a referee for the coming game."""
        return Referee(self.rules, self.players, dealer=self.dealer, loser=self.loser, losses=self.losses)

    def after(self, loser: str | None) -> Sitting:
        """Return the sitting after one more game; a game without a loser changes only the count."""
        if loser is None:
            return replace(self, games=self.games + 1)
        dealer = next_dealer(self.rules, self.players, self.dealer, loser)["dealer"]
        losses = {**self.losses, loser: self.losses.get(loser, 0) + 1}
        return replace(self, games=self.games + 1, loser=loser, losses=losses, dealer=dealer)

    def rituals(self) -> list[str]:
        """Return what the last game's Shithead has coming, by title."""
        mechanics, titles = self.rules.mechanics, []
        if self.loser is not None and mechanics.loser_says_title:
            titles.append(mechanics.loser_says_title)
        if self.loser is not None and mechanics.third_loss_title and self.losses[self.loser] == 3:
            titles.append(mechanics.third_loss_title)
        return titles
