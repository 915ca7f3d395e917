"""What is played tonight: source, ruleset, players. `companion.game.starting` makes a session of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.i18n.catalogue import _
from companion.i18n.messages import error_words
from companion.i18n.rules import options_words
from companion.sources.android import PHONE_CAMERA
from companion.store.rows import StoredGame
from engine.deals import deal_for
from engine.errors import BadInputError
from engine.ruleset import DEFAULT_RULESET, load_ruleset


@dataclass(frozen=True, slots=True)
class Choice:
    """One game as it was chosen, before anything is opened."""

    source: str | None
    """A film's path, a camera's number or a stream's URL; None: people enter what happens."""
    players: tuple[str, ...]
    """Clockwise as seen from above, the first at the bottom edge of the picture."""
    rules: str = DEFAULT_RULESET
    options: tuple[str, ...] = ()
    dealer: str | None = None
    layout: Path | None = None
    deck: str | None = None
    """An enrolled deck."""
    store: Path | None = None
    """Where the evening is kept; None: the user's own store."""
    kept: bool = True
    """Whether the game goes into the store at all."""
    resume: int | None = None
    """The id of a game in the store that was broken off, and goes on."""
    demonstration: bool = False
    """Whether this is the film that ships, shown because there was nothing else to watch."""

    @property
    def films(self) -> bool:
        """Whether the source is a film, which has its own clock and can be wound on."""
        return self.source is not None and not self.through_own_camera and "://" not in self.source

    @property
    def through_own_camera(self) -> bool:
        """Whether the source is a camera of the device that the game was chosen on."""
        return self.source is not None and (self.source == PHONE_CAMERA or self.source.isdecimal())


def source_words(source: str | None) -> str:
    """Return what is watched, as a screen says it."""
    if source is None:
        return _("No camera: you enter what happens, the referee rules on it.")
    if source == PHONE_CAMERA:
        return _("Watching through the camera of this phone")
    if source.isdecimal():
        return _("Watching camera {n}").format(n=source)
    return _("Watching {source}").format(source=source)


def choice_of(game: StoredGame, *, store: Path | None = None, layout: Path | None = None) -> Choice:
    """Return the choice that goes on with a game in the store."""
    return Choice(
        source=game.source,
        players=game.players,
        rules=game.rules,
        options=game.options,
        dealer=game.dealer,
        layout=layout,
        deck=game.deck,
        store=store,
        resume=game.id,
    )


def fault_in(rules: str, options: Sequence[str], players: Sequence[str]) -> str | None:
    """Return in one sentence why this game cannot be played, or None if it can."""
    if any(not name.strip() for name in players):
        return _("Every player needs a name.")
    if len({name.strip().casefold() for name in players}) < len(players):
        return _("Two players have the same name.")
    try:
        ruleset = load_ruleset(rules, tuple(options))
    except BadInputError as error:
        return error_words(error)
    fewest, most = ruleset.players
    if not fewest <= len(players) <= most:
        return _("{rules} is for {fewest} to {most} players.").format(
            rules=ruleset.title, fewest=fewest, most=most
        )
    return None


def summary_of(choice: Choice) -> str:
    """Return what will be played, in a few readable sentences; the choice must be playable."""
    ruleset = load_ruleset(choice.rules, choice.options)
    words = [
        _("{rules}: {players}, clockwise.").format(rules=ruleset.title, players=", ".join(choice.players)),
        _("{player} deals.").format(player=choice.dealer)
        if choice.dealer
        else _("Nobody is named as dealer."),
    ]
    deal = deal_for(ruleset, len(choice.players))
    if deal is not None:
        words.append(
            _("Each gets {down} face down, {up} face up, {hand} in hand; {left} stay to draw.").format(
                down=deal["down"], up=deal["up"], hand=deal["hand"], left=deal["draw_pile"]
            )
        )
    words.append(options_words(ruleset) or _("No house options."))
    if choice.deck is not None:
        words.append(_("Deck: {deck}.").format(deck=choice.deck))
    return " ".join(words)
