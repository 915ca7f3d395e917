"""Plays a whole story on the stage: every step with its truth, and the pauses between."""

from __future__ import annotations

import random
from collections.abc import Callable

from datasets.films.choreography.dealing import Deal
from datasets.films.choreography.gestures import Gestures, Setting
from datasets.films.choreography.layout import Layout
from datasets.films.choreography.liveliness import Liveliness, LivelyGestures
from datasets.films.choreography.stage import Manner, Stage
from datasets.films.choreography.tabletop import Habits, Tabletop
from datasets.films.story import Step, Story
from datasets.films.timeline import Timeline

_AT_ONCE = ("draw", "burn")
"""Events that follow their cause without the pause between two turns."""


def choreograph(
    story: Story,
    layout: Layout,
    manners: dict[str, Manner],
    habits: Habits,
    rng: random.Random,
    lively: Liveliness | None = None,
    stage: Stage | None = None,
    gestures_of: Callable[[Setting, Liveliness], Gestures] = LivelyGestures,
) -> Timeline:
    """Return the timeline of the film: the deal, every step of the story, and acts that are no events.

    Args:
        story: What happens.
        layout: Where people sit.
        manners: How each moves.
        habits: What the company shares.
        rng: Decides the rest.
        lively: What else happens; None for a polite company.
        stage: A stage of another kind, still empty.
        gestures_of: The gestures of a lively company.
    """
    stage = stage or Stage(layout, manners, rng)
    tabletop = Tabletop({player: [] for player in story.players}, {player: [] for player in story.players})
    deal = Deal(stage, story, tabletop, habits, rng)

    def record(start_s: float, end_s: float, step: Step, **more: object) -> None:
        stage.record(start_s, end_s, truth_of(step) | more)

    setting = Setting(stage, tabletop, deal, habits, rng, record)
    gestures = gestures_of(setting, lively) if lively else Gestures(setting)
    stage.wait(0.8, 1.5)
    begin = stage.now
    deal.play_out()
    record(
        begin, stage.now, Step(event="deal"), up={player: list(cards) for player, cards in story.up.items()}
    )
    stage.wait(0.6, 1.2)
    for number, step in enumerate(story.steps):
        gesture = getattr(gestures, step.event, None)
        if gesture is None:  # nobody moves for out and game_over
            record(stage.now, stage.now, step)
            continue
        _pause(stage, step, gestures, habits, rng)
        gestures.before(step, story.steps[number + 1 :])
        gestures.stays = _stays(step, story.steps[number + 1 : number + 2], manners, rng)
        gesture(step)
    return stage.timeline()


def _pause(stage: Stage, step: Step, gestures: Gestures, habits: Habits, rng: random.Random) -> None:
    if step.event in _AT_ONCE:
        stage.wait(0.25, 0.7)
        return
    stage.wait(*habits.pause)
    if step.event == "play" and rng.random() < habits.fidgets:
        gestures.fidget(str(step.player))
        stage.wait(0.5, 1.0)


def _stays(step: Step, following: tuple[Step, ...], manners: dict[str, Manner], rng: random.Random) -> bool:
    """Return whether the hand goes straight to its next action, and not home first."""
    return any(
        after.event in _AT_ONCE
        and after.player == step.player
        and rng.random() < manners[str(step.player)].straight_on
        for after in following
    )


def truth_of(step: Step) -> dict[str, object]:
    """Return the line of a step in the truth, without its times."""
    line: dict[str, object] = {"event": step.event}
    if step.player is not None:
        line["player"] = step.player
    if step.cards or step.event in ("play", "show", "pick_up", "burn", "flip"):
        line["cards"] = list(step.cards)
    for name in ("source", "to", "count", "answered_from", "loser"):
        value = getattr(step, name)
        if value is not None:
            line[name] = value
    if step.event == "show":
        line["answers"] = [list(answer) for answer in step.answers]
    if not step.legal:
        line |= {"legal": False, "rule": step.rules[0] if step.rules else None, "rules": list(step.rules)}
    return line
