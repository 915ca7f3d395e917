"""The evening's score: losses, streaks, rituals due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.files.lock import games_being_played
from companion.game.ruling_views import pick_ups_and_burns, rituals_due
from companion.i18n.catalogue import _
from companion.i18n.wording import date_text
from companion.store.rows import StoredGame
from companion.store.store import Store
from engine.errors import BadInputError
from engine.referee.rituals import loser_rituals
from engine.ruleset import load_ruleset

_PLAYS = ("play", "flip", "show", "pick_up", "take_up", "take_down")
"""Events that show that a game has begun."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's evening."""

    player: str
    games: int = 0
    """Finished games of the player."""
    losses: int = 0
    streak: int = 0
    """Games lost in a row until now."""
    rituals: tuple[str, ...] = ()
    """Titles of the player's rituals that are still due, oldest first."""
    sung: tuple[str, ...] = ()
    """Titles of the player's rituals that are done, oldest first."""
    breaches: int = 0
    burns: int = 0
    pick_ups: int = 0

    def dues(self) -> tuple[str, ...]:
        """Return each title once, with its number: `Library Boy`, or `Library Boy × 2`."""
        return _counted(self.rituals)

    def songs(self) -> tuple[str, ...]:
        """Return each title that is done once, with its number."""
        return _counted(self.sung)


def _counted(titles: Sequence[str]) -> tuple[str, ...]:
    return tuple(title if n == 1 else f"{title} × {n}" for title, n in Counter(titles).items())


@dataclass(frozen=True, slots=True)
class Ritual:
    """One ritual that fell on a player: a song, or something to say."""

    player: str
    title: str
    game: int
    """The id of the game that called for it."""
    number: int
    """Distinguishes rituals of one title that fell on the player in that game, from 1."""
    started: float
    """Start of that game, in seconds since 1970."""
    game_number: int
    """Number of the game within its evening, from 1."""
    done: float | None = None
    """When it was reported as done, in seconds since 1970; None while it is due."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The score of one evening, or of all of them."""

    standings: tuple[Standing, ...]
    """Most losses first. With equal losses, fewer games come first."""
    losers: tuple[str | None, ...] = ()
    """The loser of each finished game, in order; None if none was found."""
    unfinished: int = 0
    """Games that were interrupted. One that is being played is not."""
    rituals: tuple[Ritual, ...] = ()
    """Every ritual, done or due, oldest first."""
    started: float | None = None
    """Start of the first game, in seconds since 1970; None if the games are of several evenings."""


@dataclass(slots=True)
class _Count:
    games: int = 0
    losses: int = 0
    streak: int = 0
    due: list[str] = field(default_factory=list)
    sung: list[str] = field(default_factory=list)
    breaches: int = 0
    burns: int = 0
    pick_ups: int = 0

    def finished(self, *, lost: bool) -> None:
        self.games += 1
        self.losses += lost
        self.streak = self.streak + 1 if lost else 0


def tally(
    games: Iterable[tuple[StoredGame, Sequence[Mapping[str, Any]]]], playing: Collection[int] = ()
) -> Tally:
    """Count games in the order in which they were played, each with its event lines.

    A game that was interrupted before its first play does not count.

    Args:
        games: The games with their lines.
        playing: The ids of games that are being played, which are not interrupted.
    """
    counts: dict[str, _Count] = {}
    sittings: dict[int, Counter[str]] = {}
    losers: list[str | None] = []
    rituals: list[Ritual] = []
    begun: Counter[int] = Counter()
    unfinished = 0
    first: float | None = None
    for game, lines in games:
        if game.finished is None and not any(line.get("event") in _PLAYS for line in lines):
            continue
        begun[game.evening] += 1
        first = game.started if first is None else min(first, game.started)
        for player in game.players:
            counts.setdefault(player, _Count())
        _count_acts(counts, lines)
        due = called_rituals(lines)
        if game.finished is None:
            unfinished += game.id not in playing
        else:
            losers.append(game.loser)
            losses = sittings.setdefault(game.evening, Counter())
            losses.update([game.loser] if game.loser is not None else [])
            # The rulings of the last event may already include them.
            due += [ritual for ritual in _rituals_at_the_end(game, losses) if ritual not in due]
            for player in game.players:
                counts[player].finished(lost=player == game.loser)
        for ritual in _rituals(game, begun[game.evening], due):
            rituals.append(ritual)
            count = counts.setdefault(ritual.player, _Count())
            (count.due if ritual.done is None else count.sung).append(ritual.title)
    standings = [
        Standing(
            player,
            count.games,
            count.losses,
            count.streak,
            tuple(count.due),
            tuple(count.sung),
            count.breaches,
            count.burns,
            count.pick_ups,
        )
        for player, count in counts.items()
    ]
    standings.sort(key=lambda s: (-s.losses, s.games, s.player.casefold()))
    return Tally(
        tuple(standings), tuple(losers), unfinished, tuple(rituals), first if len(begun) == 1 else None
    )


def _count_acts(counts: Mapping[str, _Count], lines: Sequence[Mapping[str, Any]]) -> None:
    """Add one game's breaches, burns and pick-ups to its players' counts."""
    picked_up, burnt = pick_ups_and_burns(lines)
    broken = Counter(
        str(line["player"])
        for line in lines
        if line.get("player") and (line.get("ruling") or {}).get("verdict") == "illegal"
    )
    for player, count in counts.items():
        count.breaches += broken[player]
        count.burns += burnt[player]
        count.pick_ups += picked_up[player]


def store_tally(store: Store, *, all_evenings: bool = False) -> Tally:
    """Return the tally of the newest evening in `store`, or of every evening."""
    evening = store.last_evening()
    if evening is None:
        return Tally(())
    games = store.games(evening=None if all_evenings else evening)
    played = ((game, apply_revisions(store.events(game.id))) for game in games)
    return tally(played, games_being_played(store.path))


def tally_title(store: Store, *, all_evenings: bool = False) -> str:
    """Return the title of a picture of that tally: its date, once the evening is over."""
    if all_evenings:
        return _("All evenings")
    games = store.games(evening=store.last_evening()) if store.current_evening() is None else []
    return date_text(games[0].started) if games else _("Tonight")


def apply_revisions(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return event lines with revisions applied and withdrawn ones removed."""
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


def called_rituals(lines: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return (player, title) for each ritual that the rulings of `lines` call for."""
    due: list[tuple[str, str]] = []
    for line in lines:
        effects = (line.get("ruling") or {}).get("effects") or {}
        due += rituals_due(effects, line.get("player"))
    return due


def _rituals(game: StoredGame, nth: int, fallen: Iterable[tuple[str, str]]) -> list[Ritual]:
    """Return the rituals of one game, the evening's `nth`, each with its state in the store."""
    done = {ritual.key: ritual.at for ritual in game.rituals_done}
    numbers: Counter[tuple[str, str]] = Counter()
    rituals = []
    for player, title in fallen:
        numbers[player, title] += 1
        number = numbers[player, title]
        at = done.get((player, title, number))
        rituals.append(Ritual(player, title, game.id, number, game.started, nth, at))
    return rituals


def _rituals_at_the_end(game: StoredGame, losses: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the rituals of a finished game's loser, by the game's rules."""
    if game.loser is None:
        return []
    try:
        rules = load_ruleset(game.rules, game.options)
    except BadInputError:  # a house variant whose file is gone
        return []
    return [(game.loser, title) for title in loser_rituals(rules, game.loser, losses)]


def loss_curves(tally: Tally) -> dict[str, list[int]]:
    """Return each player's losses after every finished game, in the order of the standings."""
    counts = {standing.player: 0 for standing in tally.standings}
    curves: dict[str, list[int]] = {player: [] for player in counts}
    for loser in tally.losers:
        if loser in counts:
            counts[loser] += 1
        for player, curve in curves.items():
            curve.append(counts[player])
    return curves
