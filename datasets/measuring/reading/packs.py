"""Measure telling packs by their backs: `python -m datasets.measuring.reading.packs`.

A table counts as right when all its face-down cards that can be seen are sorted into the packs they are from:
neither two packs taken for one nor one for two. Outlines are the true ones.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.art.decks import load_deck
from datasets.photos import surfaces
from datasets.scenes.cards import Art, CardStock, ScenePack
from datasets.scenes.scene import SceneMaker
from vision.decks.backs import back_features, packs_of

DECKS = ("drawn", "anglo", "bellot", "kenney", "aguilar", "plastic")
VISIBLE = 0.85
"""Share of a back that must be seen."""


@dataclass(frozen=True)
class _NamedPack(ScenePack):
    """A pack whose backs say which one they are."""

    def draw(self, rng: np.random.Generator, face_up: bool) -> tuple[str, tuple[Art, ...]]:
        card, art = super().draw(rng, face_up)
        deck = "" if self.deck is None or self.back_index is None else self.deck.name
        return (card if face_up else f"BACK {deck} {self.back_index} {self.number if not deck else 0}"), art


class _NamedStock(CardStock):
    def pick(self, rng: np.random.Generator) -> ScenePack:
        pack = super().pick(rng)
        return _NamedPack(pack.stock, pack.deck, pack.cards, pack.back_index, pack.number)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Measure telling packs by their backs.")
    parser.add_argument(
        "--first", type=int, default=1000, help="seed of the first table (default %(default)s)"
    )
    parser.add_argument("--tables", type=int, default=400, help="how many to render (default %(default)s)")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    maker = SceneMaker(_NamedStock([load_deck(name) for name in DECKS]), surfaces(), 640)
    right: dict[int, list[bool]] = {}
    for seed in range(args.first, args.first + args.tables):
        scene = maker.make(seed)
        down = [card for card in scene.cards if not card.face_up and card.visible > VISIBLE]
        if len(down) < 2:
            continue
        packs = packs_of([back_features(scene.image, card.quad) for card in down])
        truth = [card.card for card in down]
        told = len(set(packs)) == len(set(truth)) == len(set(zip(packs, truth, strict=True)))
        right.setdefault(min(len(set(truth)), 2), []).append(told)
    for count, tables in sorted(right.items()):
        print(f"tables with {count} pack{'s' if count > 1 else ''}: {sum(tables)} of {len(tables)} right")


if __name__ == "__main__":
    main()
