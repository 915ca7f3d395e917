"""The story of a film: who does what with which cards, in order, with everything that is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.events import Event
from engine.ruleset import load_ruleset
from engine.simulation import simulate

ACTS = ("play", "flip", "pick_up", "show")
"""The events that make up a turn. Draws, burns and others follow from them."""
DEFAULT_ACTS = 24
"""About three minutes of film."""
_TRIES = 400
_ENDING_GAMES = 60
_FEWEST_PLAYS = 10
_FEWEST_ACTS = 12
"""Fewer acts have no room for ten plays, a pick-up and a show."""
_MOST_EXCHANGES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One act of the players. `event` and the fields after it are as in `engine.events.Event`."""

    event: str
    player: str | None = None
    cards: tuple[str, ...] = ()
    """The cards that move face up; a set is in the order in which it is laid."""
    source: str | None = None
    to: str | None = None
    answers: tuple[tuple[str, str], ...] = ()
    answer_cards: tuple[str, ...] = ()
    """The card of each answer."""
    answered_from: str | None = None
    count: int | None = None
    loser: str | None = None
    hand_out: tuple[str, ...] = ()
    """Cards that an exchange moved from the hand to the table."""
    up_out: tuple[str, ...] = ()
    """Cards that an exchange moved from the table to the hand."""
    legal: bool = True
    rules: tuple[str, ...] = ()
    """The ids of the rules that were broken on purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One game that will be filmed."""

    rules: str
    options: tuple[str, ...]
    players: tuple[str, ...]
    dealer: str
    up: dict[str, tuple[str, ...]]
    """The dealt up-cards of each player, left to right for that player."""
    down_count: int
    hand_count: int
    draw_count: int
    """Cards left in the draw pile after the deal."""
    steps: tuple[Step, ...] = field(default=())


def find_story(
    rules: str,
    players: Sequence[str],
    seed: int,
    *,
    options: Sequence[str] = (),
    illegal: int = 2,
    acts: int | None = DEFAULT_ACTS,
) -> Story:
    """Return a story worth filming: the first game from `seed` that shows everything.

    Such a game has at least ten plays, a burn and a pick-up. It has a shown card if the ruleset has shows,
    and exchanges by one or two players. It has all illegal plays, and two kinds of them. If no game shows
    everything within `acts`, the result is the game that lacks least. A whole game, or one of very few acts,
    is not chosen.

    Args:
        rules: Ruleset.
        players: Names, clockwise.
        seed: The same seed gives the same story.
        options: House options.
        illegal: Number of rules that are broken on purpose.
        acts: Number of plays, flips, pick-ups and shows; None for the whole game.

    Raises:
        BadInputError: unknown ruleset or option, or too many players.
    """
    shows = bool(load_ruleset(rules, options).mechanics.shown)
    best: tuple[int, Story] | None = None
    searched = acts is not None and acts >= _FEWEST_ACTS
    for attempt in range(_TRIES if searched else 1):
        game = simulate.play_game(rules, players, seed * _TRIES + attempt, options=options, cheats=illegal)
        story = story_of(game, acts)
        lacks = _lacks(story, illegal, shows)
        if best is None or lacks < best[0]:
            best = (lacks, story)
        if lacks == 0:
            break
    assert best is not None  # there is at least one attempt
    return best[1]


def find_ending(
    rules: str, players: Sequence[str], seed: int, *, illegal: int = 2, games: int = _ENDING_GAMES
) -> Story:
    """Return a whole game worth filming for its end: the shortest game from `seed` with everything.

    Such a game plays or takes a face-down card, a player goes out, and it has a loser. If no game has all of
    these, the result is the one that lacks least.

    Args:
        rules: Ruleset.
        players: Names, clockwise.
        seed: The same seed gives the same story.
        illegal: Number of rules that are broken on purpose.
        games: How many games to choose from.

    Raises:
        BadInputError: unknown ruleset, or too many players.
    """
    played = (
        simulate.play_game(rules, players, seed * _TRIES + attempt, cheats=illegal)
        for attempt in range(games)
    )
    return min(map(story_of, played), key=lambda story: (_lacks_at_end(story, illegal), len(story.steps)))


def _lacks_at_end(story: Story, illegal: int) -> int:
    """Count the features that the end of a story lacks."""
    events = {step.event for step in story.steps}
    broken = sum(not step.legal for step in story.steps)
    wanted = [bool(events & {"flip", "take_down"}), "out" in events, "game_over" in events, broken == illegal]
    return wanted.count(False)


def _lacks(story: Story, illegal: int, shows: bool) -> int:
    """Count the features that a story lacks."""
    events = [step.event for step in story.steps]
    broken = [step.rules for step in story.steps if not step.legal]
    wanted = [
        events.count("play") >= _FEWEST_PLAYS,
        "burn" in events,
        "pick_up" in events,
        "show" in events or not shows,
        0 < events.count("exchange") <= _MOST_EXCHANGES,
        len(broken) == illegal,
        len(set(broken)) >= min(illegal, 2),
    ]
    return wanted.count(False)


def story_of(game: simulate.SimulatedGame, acts: int | None = None) -> Story:
    """Return the first `acts` acts of a simulated game as a story, with the events that follow the last."""
    first = game.steps[0]
    told: list[Step] = []
    for step in game.steps[1:]:
        if step.event.event in ACTS and acts is not None:
            if acts == 0:
                break
            acts -= 1
        told.append(_told(step))
    dealt = first.after
    return Story(
        rules=game.rules.name,
        options=tuple(game.rules.options),
        players=game.players,
        dealer=game.dealer,
        up=dict(first.event.up),
        down_count=len(next(iter(dealt.down.values()))),
        hand_count=len(next(iter(dealt.hands.values()))),
        draw_count=len(dealt.draw_pile),
        steps=tuple(told),
    )


def _told(step: simulate.Step) -> Step:
    event: Event = step.event
    exchange = event.event == "exchange"
    return Step(
        event=event.event,
        player=event.player,
        cards=event.cards,
        source=event.source,
        to=event.to,
        answers=event.answers,
        answer_cards=step.answer_cards,
        answered_from=event.answered_from,
        count=event.count if event.event in ("draw", "take_down", "exchange") else None,
        loser=event.loser,
        hand_out=step.cards if exchange else (),
        up_out=step.up_out if exchange else (),
        legal=step.legal,
        rules=(step.rule,) if step.rule else (),
    )
