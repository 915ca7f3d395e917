"""The evening's score: who lost how often, streaks, rituals due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.store import Store, StoredGame
from engine.errors import BadInputError
from engine.ruleset import load_ruleset


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
    """Titles of the rituals that fell on the player, oldest first."""


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
            song = _third_loss_song(game) if player == game.loser and count.losses == 3 else ""
            if song and song not in count.rituals:
                count.rituals.append(song)
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
    """Return (who it falls on, title) for each ritual that the rulings of `lines` call for."""
    due = []
    for line in lines:
        effects = (line.get("ruling") or {}).get("effects") or {}
        # At the end of a game it falls on the Shithead, before that on whoever takes the pile.
        victim = effects.get("shithead") or effects.get("picks_up") or line.get("player")
        due += [(str(victim), str(title)) for title in effects.get("rituals") or () if victim]
    return due


def _third_loss_song(game: StoredGame) -> str:
    """Return the title of the song at a third loss, or nothing where the ruleset has none."""
    try:
        return load_ruleset(game.rules, game.options).mechanics.third_loss_title
    except BadInputError:  # a house variant whose file is no longer there
        return ""
