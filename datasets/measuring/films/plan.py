"""Which films are measured: for each ruleset the same number, their conditions spread evenly by the seed.

Conditions are a Latin hypercube sample in blocks of four: among films 1 to 4 of a ruleset each level of each
condition stands once, in an order of its own, and so on. More films leave the earlier ones as they are.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from companion.game.scoring import read_lines
from datasets.art.decks import VALID_DECKS
from datasets.films.production import Shot, make_film, pick_deck, truth_path
from datasets.films.rendering.light import LIGHTS
from datasets.films.story import DEFAULT_ACTS, Story, find_ending, find_story
from datasets.films.truth import TRUTH_VERSION
from datasets.progress import Progress
from engine.errors import BadInputError
from engine.ruleset import load_ruleset

FIRST_SEED = 5001
"""Seeds of films that are measured; the films that ship and those of the tests have smaller ones."""
PLAYERS = (2, 3, 4, 5)
TILTS = ((0.0, 10.0), (10.0, 20.0), (20.0, 35.0), (35.0, 50.0))
"""Degrees from straight down, from which one is drawn."""
DECKS = (*VALID_DECKS, "bidly")
"""Three decks that no network is trained on, and the photographed one, which they are."""
TABLES = ("drawn", "any", "drawn", "any")
"""`any`: a photographed surface, such as the networks are trained on; `drawn`: one made for this film."""
ILLEGAL = 2
SIZE = (1920, 1080)
Level = TypeVar("Level")
_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")
_BLOCK = 4
_ENDING_PLAYERS = (2, 3)
"""Of each four films that with two, then three players is a whole game, for what happens only at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmPlan:
    """One film that is to be measured."""

    rules: str
    players: int
    seed: int
    tilt: float
    light: str
    deck: str
    surface: str
    plays: int | None = DEFAULT_ACTS
    """Acts that it shows, unless it is filmed for its end; None: the whole game."""
    width: int = SIZE[0]
    height: int = SIZE[1]
    ending: bool = False
    """Whether it is a whole game that was chosen for its end."""
    sway: float = 0.0
    """How far a hand that holds the camera lets it wander, pixels of a 1080p frame; 0: it stands."""
    lively: bool = False
    """Whether much happens beside the game (`datasets.films.choreography.liveliness`)."""

    @property
    def name(self) -> str:
        """The name of its file, without a suffix; size, length, sway and company make others."""
        name = f"{self.rules}-{self.players}-{self.seed}"
        if (self.width, self.height) != SIZE:
            name += f"-{self.width}x{self.height}"
        if self.ending:
            name += "-ending"
        elif self.plays != DEFAULT_ACTS:
            name += f"-{'whole' if self.plays is None else self.plays}"
        if self.sway:
            name += f"-sway{self.sway:g}"
        return f"{name}-lively" if self.lively else name

    def film_in(self, folder: Path) -> Path:
        """Return where it lies."""
        return folder / f"{self.name}.mp4"


def plan_films(
    rulesets: Sequence[str],
    films: int,
    *,
    first_seed: int = FIRST_SEED,
    plays: int | None = DEFAULT_ACTS,
    size: tuple[int, int] = SIZE,
    sway: float = 0.0,
    lively: bool = False,
    endings: bool = False,
) -> list[FilmPlan]:
    """Return `films` films of each ruleset; the same arguments give the same films.

    `endings`: one in four is a whole game, chosen for its end, however many `plays` the others show.

    Raises:
        BadInputError: there is no such ruleset.
    """
    plans = []
    for rules in rulesets:
        fewest, most = load_ruleset(rules).players
        levels = tuple(n for n in PLAYERS if fewest <= n <= most)
        for number in range(films):
            rng = random.Random(f"film {rules} {first_seed + number}")
            where = f"{rules} {first_seed}"
            tilt = _level(f"{where} tilt", TILTS, number)
            players = _level(f"{where} players", levels, number)
            plans.append(
                FilmPlan(
                    rules=rules,
                    players=players,
                    seed=first_seed + number,
                    tilt=round(rng.uniform(*tilt), 1),
                    light=_level(f"{where} light", LIGHTS, number),
                    deck=_level(f"{where} deck", DECKS, number),
                    surface=_level(f"{where} table", TABLES, number),
                    plays=plays,
                    ending=endings and players == _ENDING_PLAYERS[number // _BLOCK % 2],
                    width=size[0],
                    height=size[1],
                    sway=sway,
                    lively=lively,
                )
            )
    return plans


def _level(key: str, choices: Sequence[Level], number: int) -> Level:
    """Return the level of a condition in film `number`: each block of films has its own order of levels."""
    order = list(choices)
    random.Random(f"{key} {number // _BLOCK}").shuffle(order)
    return order[number % _BLOCK % len(order)]


def render(plan: FilmPlan, folder: Path, progress: Progress | None = None) -> bool:
    """Render a film with its truth, unless it is there already; returns whether it had to be.

    A film whose truth is missing was broken off, and is rendered anew, as is one whose truth is of another
    version: what it calls right is not what is called right now.
    `progress` is told seconds of the film.

    Raises:
        BadInputError: nothing can be written there, or a deck has a card too few.
    """
    film = plan.film_in(folder)
    if is_film(film) and outdated(film) is None:
        return False
    story = story_of(plan)
    make_film(story, shot_of(plan, story), film, progress=progress)
    return True


def story_of(plan: FilmPlan) -> Story:
    """Return the game that a film shows."""
    names = _NAMES[: plan.players]
    if plan.ending:
        return find_ending(plan.rules, names, plan.seed, illegal=ILLEGAL)
    return find_story(plan.rules, names, plan.seed, illegal=ILLEGAL, acts=plan.plays)


def shot_of(plan: FilmPlan, story: Story) -> Shot:
    """Return how a film shows its story."""
    return Shot(
        seed=plan.seed,
        width=plan.width,
        height=plan.height,
        tilt=plan.tilt,
        sway=plan.sway,
        lively=plan.lively,
        light=plan.light,
        deck=_deck(plan.deck, story),
        surface=plan.surface,
    )


def is_film(path: Path) -> bool:
    """Tell whether a whole film with its truth lies there."""
    return path.is_file() and truth_path(path).is_file()


def outdated(film: Path) -> str | None:
    """Return what is to be said of a film whose truth is not of the version that is made now; else None."""
    try:
        version = read_lines(truth_path(film))[0].get("truth_version", 1)
    except (BadInputError, IndexError):
        version = None
    if version == TRUTH_VERSION:
        return None
    told = f"version {version}" if type(version) is int else "no version that is known"
    return f"its truth is of {told}, not {TRUTH_VERSION}"


def _deck(name: str, story: Story) -> str:
    """Return the deck, or the drawn one where it cannot be had on this machine or lacks a card."""
    cards = {card for up in story.up.values() for card in up}
    for step in story.steps:
        cards.update(step.cards, step.answer_cards, step.hand_out, step.up_out)
    try:
        return pick_deck(name, cards).name
    except BadInputError:
        return "drawn"
