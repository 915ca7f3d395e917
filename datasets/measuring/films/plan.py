"""The plan of the measured films: the same number for each ruleset, with evenly spread conditions.

Conditions are a Latin hypercube sample in blocks of four. In each block of a ruleset every level of a
condition occurs once, and each condition has its own order. More films do not change the earlier ones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from companion.game.scoring import read_lines, truth_path
from datasets.art.decks import VALID_DECKS
from datasets.films.people.levels import MOST_TILT
from datasets.films.production import Shot, make_film, pick_deck
from datasets.films.rendering.light import LIGHTS
from datasets.films.story import DEFAULT_ACTS, Story, find_ending, find_story
from datasets.films.truth import TRUTH_VERSION
from datasets.progress import Progress
from engine.errors import BadInputError
from engine.ruleset import load_ruleset

FIRST_SEED = 5001
"""First seed of the measured films. Shipped films and those of the tests have smaller ones."""
PLAYERS = (2, 3, 4, 5)
TILTS = ((0.0, 10.0), (10.0, 20.0), (20.0, 35.0), (35.0, 50.0))
"""Ranges of the tilt, degrees from straight down."""
PEOPLE_TILTS = ((0.0, 6.0), (6.0, 12.0), (12.0, 18.0), (18.0, MOST_TILT))
"""The same with whole people, whose heads would hide the table from a low camera."""
DECKS = (*VALID_DECKS, "bidly")
"""Three held-out decks, and the photographed one, which networks are trained on."""
TABLES = ("drawn", "any", "drawn", "any")
"""`any` is a photographed surface, as in training; `drawn` is made for the film."""
ILLEGAL = 2
SIZE = (1920, 1080)
Level = TypeVar("Level")
_NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")
_BLOCK = 4
_ENDING_PLAYERS = (2, 3)
"""Number of players in the one whole game of each block, by turns. It shows the end of a game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmPlan:
    """One film that will be measured."""

    rules: str
    players: int
    seed: int
    tilt: float
    light: str
    deck: str
    surface: str
    plays: int | None = DEFAULT_ACTS
    """Number of acts, unless it is filmed for its end; None for the whole game."""
    width: int = SIZE[0]
    height: int = SIZE[1]
    ending: bool = False
    """Whether it is a whole game, chosen for its end."""
    sway: float = 0.0
    """Motion of the picture in a hand that holds the camera, pixels of a 1080p frame; 0 on a stand."""
    lively: bool = False
    """Whether people do other things too (`datasets.films.choreography.liveliness`)."""

    people: int | None = None
    """Level of whole people (`datasets.films.people.levels`); None draws only arms."""

    @property
    def name(self) -> str:
        """The name of its file without suffix, with size, length, sway and company if they are unusual."""
        name = f"{self.rules}-{self.players}-{self.seed}"
        if (self.width, self.height) != SIZE:
            name += f"-{self.width}x{self.height}"
        if self.ending:
            name += "-ending"
        elif self.plays != DEFAULT_ACTS:
            name += f"-{'whole' if self.plays is None else self.plays}"
        if self.sway:
            name += f"-sway{self.sway:g}"
        if self.people is not None:
            name += f"-people{self.people}"
        return f"{name}-lively" if self.lively else name

    def film_in(self, folder: Path) -> Path:
        """Return its path in `folder`."""
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
    people: Sequence[int] = (),
) -> list[FilmPlan]:
    """Return `films` films of each ruleset. The same arguments give the same films.

    With `endings`, one of four films is a whole game, chosen for its end. With `people`, each level of whole
    people is filmed as often as the others.

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
            tilt = _level(f"{where} tilt", PEOPLE_TILTS if people else TILTS, number)
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
                    people=_level(f"{where} people", people, number) if people else None,
                )
            )
    return plans


def _level(key: str, choices: Sequence[Level], number: int) -> Level:
    """Return the level of a condition in film `number`; each block of films has its own order of levels."""
    order = list(choices)
    random.Random(f"{key} {number // _BLOCK}").shuffle(order)
    return order[number % _BLOCK % len(order)]


def render(plan: FilmPlan, folder: Path, progress: Progress | None = None) -> bool:
    """Render a film with its truth, unless both exist; returns whether it rendered.

    A film without truth was interrupted. A truth with an old version has other verdicts. Both are rendered
    again. `progress` counts seconds of the film.

    Raises:
        BadInputError: the film cannot be written, or a deck lacks a card.
    """
    film = plan.film_in(folder)
    if is_film(film) and outdated(film) is None:
        return False
    story = story_of(plan)
    make_film(story, shot_of(plan, story), film, progress=progress)
    return True


def story_of(plan: FilmPlan) -> Story:
    """Return the story of a film."""
    names = _NAMES[: plan.players]
    if plan.ending:
        return find_ending(plan.rules, names, plan.seed, illegal=ILLEGAL)
    return find_story(plan.rules, names, plan.seed, illegal=ILLEGAL, acts=plan.plays)


def shot_of(plan: FilmPlan, story: Story) -> Shot:
    """Return the shot of a film."""
    return Shot(
        seed=plan.seed,
        width=plan.width,
        height=plan.height,
        tilt=plan.tilt,
        sway=plan.sway,
        lively=plan.lively,
        people=plan.people,
        light=plan.light,
        deck=_deck(plan.deck, story),
        surface=plan.surface,
    )


def is_film(path: Path) -> bool:
    """Return whether a film exists together with its truth."""
    return path.is_file() and truth_path(path).is_file()


def outdated(film: Path) -> str | None:
    """Return a message if a truth does not have the current version or is not wholly confirmed, else None."""
    try:
        header = read_lines(truth_path(film))[0]
        if header.get("labelled"):
            waiting = header.get("unconfirmed")
            return f"{waiting} of its events are not confirmed" if waiting else None
        version = header.get("truth_version", 1)
    except (BadInputError, IndexError):
        version = None
    if version == TRUTH_VERSION:
        return None
    found = f"version {version}" if type(version) is int else "no known version"
    return f"its truth has {found}, not version {TRUTH_VERSION}"


def _deck(name: str, story: Story) -> str:
    """Return the deck, or the drawn one if it is not available or lacks a card."""
    cards = {card for up in story.up.values() for card in up}
    for step in story.steps:
        cards.update(step.cards, step.answer_cards, step.hand_out, step.up_out)
    try:
        return pick_deck(name, cards).name
    except BadInputError:
        return "drawn"
