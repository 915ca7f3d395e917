"""Gathers the people of a film: who sits there, what they do, and the surface on which they are drawn."""

from __future__ import annotations

import random
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.decks import Deck
from datasets.films.choreography.layout import Layout
from datasets.films.choreography.liveliness import Liveliness
from datasets.films.geometry import Camera
from datasets.films.people.acting import PeopleStage, name_fans
from datasets.films.people.drawing import Shot3d, Studio, open_renderer
from datasets.films.people.figures import Looks, make_figure, random_looks
from datasets.films.people.levels import Level
from datasets.films.people.picture import People
from datasets.films.people.poses import Cast
from datasets.films.rendering.light import Light
from datasets.films.timeline import Timeline

_FACE_SIZE = (252, 352)
"""Width and height of the picture of a card in a hand, pixels."""


def company_at(lively: Liveliness, level: Level) -> Liveliness:
    """Return what a company does at a level besides the game: below level 2 only objects stand there."""
    calm = level.number < 2
    return Liveliness(
        hesitates=0.0 if calm else lively.hesitates,
        changes_mind=0.0 if calm else lively.changes_mind,
        drinks=0.0 if calm else max(lively.drinks, 0.12),
        tidies=0.0 if calm else lively.tidies,
        in_sight=(),  # whole people hold their fans themselves
        standing=lively.standing,
    )


def looks_of(layout: Layout, seed: int) -> dict[str, Looks]:
    """Return the looks of the people at a table; the level changes nothing about them."""
    return {seat.player: random_looks(random.Random(f"looks {seed} {seat.player}")) for seat in layout.seats}


def gather(
    seed: int,
    stage: PeopleStage,
    timeline: Timeline,
    camera: Camera,
    light: Light,
    deck: Deck,
    back: NDArray[np.uint8],
    seen: Iterable[str],
) -> People:
    """Return the people of a film, ready to be drawn.

    Args:
        seed: Decides what they look like.
        stage: The stage on which they acted.
        timeline: What they did.
        camera: The camera.
        light: The light.
        deck: The deck; `back` is one of its backs.
        back: What the other side of its cards shows.
        seen: Cards that lie on the table at some time: no other card of a fan is one of these.

    Raises:
        BadInputError: the bodies cannot be fetched, or there is no software renderer.
    """
    open_renderer()[1].release()  # before the bodies are fetched, which takes a while
    layout = stage.layout
    rng = random.Random(f"fans {seed}")
    name_fans(stage.held_cards, [card for card in deck.faces if card != "JOKER"], seen, rng)
    homes = {
        (seat.player, hand): stage.home((seat.player, hand))
        for seat in layout.seats
        for hand in ("main", "other")
    }
    cast = Cast(
        layout, timeline, stage.level, homes, stage.held_cards, stage.leans, random.Random(f"cast {seed}")
    )
    figures = {player: make_figure(looks) for player, looks in looks_of(layout, seed).items()}
    studio = Studio(
        camera,
        Shot3d(light.shadow, light.darkness),
        layout.table,
        figures,
        {card: _small(face) for card, face in deck.faces.items()},
        _small(back),
    )
    return People(cast, figures, layout, studio)


def _small(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(picture, _FACE_SIZE, interpolation=cv2.INTER_AREA), np.uint8)
