"""The setup of a game: source, ruleset, players. `companion.game.starting` makes a session of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.i18n.catalogue import _
from companion.i18n.messages import error_text
from companion.i18n.rules import options_text
from companion.settings import load_settings
from companion.sources.android import PHONE_CAMERA
from companion.sources.joined_phone import JOINED_PHONE
from companion.store.rows import StoredGame
from engine.deals import deal_for
from engine.errors import BadInputError
from engine.ruleset import DEFAULT_RULESET, load_ruleset
from vision.capture.addresses import with_known_password, without_password


@dataclass(frozen=True, slots=True)
class GameSetup:
    """One game as it was set up, before anything is opened."""

    source: str | None
    """A film's path, a camera's number, a stream's URL or `JOINED_PHONE`; None: people enter the events."""
    players: tuple[str, ...]
    """Clockwise as seen from above, the first at the bottom edge of the frame."""
    rules: str = DEFAULT_RULESET
    options: tuple[str, ...] = ()
    dealer: str | None = None
    layout: Path | None = None
    deck: str | None = None
    """An enrolled deck."""
    store: Path | None = None
    """Path of the evening's store; None: the user's own."""
    kept: bool = True
    """Whether the game goes into the store."""
    resume: int | None = None
    """The id of an interrupted game in the store that goes on."""
    demonstration: bool = False
    """Whether this is the sample film, shown because there was nothing else to watch."""
    own: GameSetup | None = None
    """With a demonstration: the game of the user's own that is offered after it."""

    @property
    def is_film(self) -> bool:
        """Whether the source is a film, which has its own clock and can be skipped through."""
        live = self.uses_own_camera or self.source == JOINED_PHONE
        return self.source is not None and not live and "://" not in self.source

    @property
    def uses_own_camera(self) -> bool:
        """Whether the source is a camera of this device."""
        return self.source is not None and (self.source == PHONE_CAMERA or self.source.isdecimal())


def source_text(source: str | None) -> str:
    """Return the source in words."""
    if source is None:
        return _("No camera: you enter what happens, and the referee rules on it.")
    if source == PHONE_CAMERA:
        return _("Watching through the camera of this phone")
    if source == JOINED_PHONE:
        return _("Watching through a phone that joins")
    if source.isdecimal():
        return _("Watching camera {n}").format(n=source)
    return _("Watching {source}").format(source=without_password(source))


def stored_setup(game: StoredGame, *, store: Path | None = None, layout: Path | None = None) -> GameSetup:
    """Return the setup that goes on with a game in the store.

    The store holds no password of a stream. It comes from the addresses that the form remembers.
    """
    source = game.source
    return GameSetup(
        source=None if source is None else with_known_password(source, load_settings().sources),
        players=game.players,
        rules=game.rules,
        options=game.options,
        dealer=game.dealer,
        layout=layout,
        deck=game.deck,
        store=store,
        resume=game.id,
    )


def setup_fault(rules: str, options: Sequence[str], players: Sequence[str]) -> str | None:
    """Return in one sentence why this game cannot be played, or None if it can."""
    if any(not name.strip() for name in players):
        return _("Every player needs a name.")
    if len({name.strip().casefold() for name in players}) < len(players):
        return _("Two players have the same name.")
    try:
        ruleset = load_ruleset(rules, tuple(options))
    except BadInputError as error:
        return error_text(error)
    fewest, most = ruleset.players
    if not fewest <= len(players) <= most:
        return _("{rules} is for {fewest} to {most} players.").format(
            rules=ruleset.title, fewest=fewest, most=most
        )
    return None


def setup_summary(setup: GameSetup) -> str:
    """Return a playable setup in a few sentences."""
    ruleset = load_ruleset(setup.rules, setup.options)
    words = [
        _("{rules}: {players}, clockwise.").format(rules=ruleset.title, players=", ".join(setup.players)),
        _("{player} deals.").format(player=setup.dealer) if setup.dealer else _("No dealer is named."),
    ]
    deal = deal_for(ruleset, len(setup.players))
    if deal is not None:
        words.append(
            _(
                "Each player gets {down} face down, {up} face up and {hand} in hand; {left} are left to draw."
            ).format(down=deal["down"], up=deal["up"], hand=deal["hand"], left=deal["draw_pile"])
        )
    words.append(options_text(ruleset) or _("No house options."))
    if setup.deck is not None:
        words.append(_("Deck: {deck}.").format(deck=setup.deck))
    return " ".join(words)
