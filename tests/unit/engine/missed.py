"""Simulated games as an observer reports them that misses some events and sees others wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from engine.cards import FULL_PACK
from engine.events import Event
from engine.referee.referee import Outcome, Referee
from engine.ruleset import RULESET_NAMES
from engine.simulation.simulate import Step, play_game

NAMES = ("Ann", "Bob", "Cat", "Dan")
STEPS = 120
"""So much of each game is reported."""


@dataclass
class Tally:
    """What came of the rulings."""

    legal: int = 0
    false_alarms: int = 0
    """Legal acts that were ruled illegal."""
    false_late: int = 0
    """Late breaches; the simulated players commit none."""
    breaches: int = 0
    """Illegal plays that were reported."""
    found: int = 0
    left_open: int = 0
    """Illegal plays that were ruled unproven."""

    def add(self, step: Step, outcome: Outcome) -> None:
        self.false_late += sum(event.event == "late_breach" for event in outcome.follow_ups)
        if outcome.ruling is None:
            return
        verdict = outcome.ruling["verdict"]
        if step.legal:
            self.legal += 1
            self.false_alarms += verdict == "illegal"
        else:
            self.breaches += 1
            self.found += verdict == "illegal"
            self.left_open += verdict == "unproven"


def spoiled(event: Event, rng: Random, missed: float, wrong: float) -> Event | None:
    """Return the event as it is reported: not at all, with a card wrong or overlooked, or as it was."""
    event = replace(event, confidence=0.97)
    if event.event == "deal":
        return event
    if rng.random() < missed:
        return None
    if event.event not in ("play", "flip", "show") or rng.random() >= wrong:
        return event
    cards, place = list(event.cards), rng.randrange(len(event.cards))
    match rng.choice(("unknown", "misread", "overlooked", "nobody")):
        case "unknown":
            cards[place] = "??"
        case "misread":
            cards[place] = rng.choice(FULL_PACK)
        case "overlooked" if len(cards) > 1:
            del cards[place]
        case "nobody":
            return replace(event, player=None)
    return replace(event, cards=tuple(cards))


def reported(rules: str, seed: int, missed: float, wrong: float) -> Iterator[tuple[Step, Outcome]]:
    """Yield what is seen of a game with three deliberate breaches, and what the referee makes of it."""
    names = NAMES[: 2 + seed % 3]
    game = play_game(rules, names, seed, cheats=3)
    referee, rng = Referee(rules, names, dealer=game.dealer), Random(7 * seed + 1)
    for step in game.steps[: STEPS + 1]:
        event = spoiled(step.event, rng, missed, wrong)
        if event is not None:
            yield step, referee.observe(event)


def tally(
    games: int, missed: float = 0.0, wrong: float = 0.0, rulesets: Sequence[str] = RULESET_NAMES
) -> Tally:
    """Referee so many games of each ruleset and count."""
    result = Tally()
    for rules in rulesets:
        for seed in range(games):
            for step, outcome in reported(rules, seed, missed, wrong):
                result.add(step, outcome)
    return result
