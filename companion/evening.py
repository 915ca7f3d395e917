"""The evening's score: who lost how often, streaks, rituals due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.store import Store, StoredGame


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's evening."""

    player: str
    games: int = 0
    """Finished games that the player took part in."""
    losses: int = 0
    streak: int = 0
    """Games lost in a row up to now; 0 after a game survived."""
    rituals: tuple[str, ...] = ()
    """Titles of rituals that the rulings of the evening called for, oldest first."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The score of one evening, or of all of them."""

    standings: tuple[Standing, ...]
    """Most losses first; of equals, who has played more games to lose them stands lower."""
    losers: tuple[str | None, ...] = ()
    """The loser of each finished game, in order; None where none was found."""
    unfinished: int = 0
    """Games that were begun and never ended."""


@dataclass(slots=True)
class _Count:
    games: int = 0
    losses: int = 0
    streak: int = 0
    rituals: list[str] = field(default_factory=list)


def tally(games: Iterable[tuple[StoredGame, Sequence[Mapping[str, Any]]]]) -> Tally:
    """Count games, each with its event lines, in the order in which they were played."""
    counts: dict[str, _Count] = {}
    losers: list[str | None] = []
    unfinished = 0
    for game, lines in games:
        for player in game.players:
            counts.setdefault(player, _Count())
        for player, title in rituals_of(lines):
            counts.setdefault(player, _Count()).rituals.append(title)
        if game.finished is None:
            unfinished += 1
            continue
        losers.append(game.loser)
        for player in game.players:
            count = counts[player]
            count.games += 1
            count.losses += player == game.loser
            count.streak = count.streak + 1 if player == game.loser else 0
    standings = [
        Standing(player, count.games, count.losses, count.streak, tuple(count.rituals))
        for player, count in counts.items()
    ]
    standings.sort(key=lambda s: (-s.losses, s.games, s.player.casefold()))
    return Tally(tuple(standings), tuple(losers), unfinished)


def tally_of(store: Store, *, all_evenings: bool = False) -> Tally:
    """Return the tally of the newest evening in `store`, or of every evening."""
    evening = store.last_evening()
    if evening is None:
        return Tally(())
    games = store.games(evening=None if all_evenings else evening)
    return tally((game, last_word(store.events(game.id))) for game in games)


def last_word(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return event lines with revisions put in place and withdrawn ones dropped."""
    kept: dict[Any, Mapping[str, Any]] = {}
    for line in lines:
        revised = line.get("revise")
        if revised is None:
            kept[line.get("id")] = line
        elif line.get("withdrawn"):
            kept.pop(revised, None)
        else:
            kept[revised] = line
    return list(kept.values())


def rituals_of(lines: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return (player, title) for each ritual that the rulings of `lines` call for."""
    due = []
    for line in lines:
        effects = (line.get("ruling") or {}).get("effects") or {}
        for ritual in effects.get("rituals") or ():
            victim, title = _ritual(ritual, line.get("player"))
            if victim is not None:
                due.append((victim, title))
    return due


def _ritual(ritual: Any, actor: str | None) -> tuple[str | None, str]:
    """Return (who it falls on, title); a ritual given as a bare title falls on the player who acted."""
    if isinstance(ritual, Mapping):
        title = ritual.get("title") or ritual.get("name") or ritual.get("ritual") or ""
        return ritual.get("player") or ritual.get("victim") or actor, str(title)
    return actor, str(ritual)
