"""Faces to train on: openly licensed decks, and decks invented at random from fonts, signs and layouts.

The available decks have only about six distinct designs. Invented ones keep what real decks share: an index
in the corner, the standard layout of pips, framed courts. They vary everything else.
"""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.cards import CARDS
from datasets.art.decks import deck_names, load_deck
from datasets.art.drawn import FOUR_COLOURS, DrawnStyle, FacePainter, draw_back
from engine.errors import BadInputError

Face = NDArray[np.uint8]
"""A face or back, FACE_HEIGHT x FACE_WIDTH x 3, BGR."""

FACE_WIDTH, FACE_HEIGHT = 252, 352
"""A size between that of a card in a camera's picture and that of the art."""

FRAMED_COURTS = ("bidly", "anglo", "anglo_bitmap", "anglo_modern", "gnomangelo", "aguilar", "kennard")
"""Decks whose courts stand in a frame clear of the index, which allows another index beside them."""
_PANEL = (0.135, 0.06, 0.865, 0.94)
"""Left, top, right and bottom of such a frame, as shares of the card."""

COURT_PANEL = (
    slice(round(_PANEL[1] * FACE_HEIGHT), round(_PANEL[3] * FACE_HEIGHT)),
    slice(round(_PANEL[0] * FACE_WIDTH), round(_PANEL[2] * FACE_WIDTH)),
)
"""Rows and columns of that frame in a face."""

_WEIGHTS = {"bidly": 4.0, "aguilar": 3.0, "drawn": 0.5}
_FONT_FOLDER = Path("/usr/share/fonts/truetype")
_LEFT_OUT_FONTS = ("Fallback", "MathTeX", "ExtraLight", "Symbol", "Emoji", "Dingbat")


@cache
def fonts() -> tuple[str, ...]:
    """Return the TrueType fonts of this machine that can print an index; there may be none."""
    paths = sorted(_FONT_FOLDER.glob("*/*.ttf")) if _FONT_FOLDER.is_dir() else []
    return tuple(str(p) for p in paths if not any(word in p.name for word in _LEFT_OUT_FONTS))


class ArtFaces:
    """The faces and backs of whole decks, kept small in memory."""

    def __init__(self, split: str) -> None:
        """Load the decks of a split (`train`, `valid`). `missing` lists those that are not available."""
        self.decks: dict[str, dict[str, Face]] = {}
        self.backs: list[Face] = []
        self.missing: list[str] = []
        for name in deck_names("valid" if split == "valid" else "train"):
            try:
                deck = load_deck(name)
            except BadInputError as error:
                self.missing.append(str(error))
                continue
            self.decks[name] = {card: _small(face) for card, face in deck.faces.items()}
            self.backs += [_small(back) for back in deck.backs]
            load_deck.cache_clear()
        names = list(self.decks)
        weights = [_WEIGHTS.get(name, 0.3 if "4_colour" in name else 1.0) for name in names]
        self._names, self._shares = names, np.array(weights) / sum(weights)

    def only(self, name: str) -> ArtFaces:
        """Return the faces of one deck alone. A deck without a joker borrows that of another."""
        alone = copy.copy(self)
        lender = next((deck for deck in self.decks.values() if "JOKER" in deck), {})
        borrowed = {card: face for card, face in lender.items() if card == "JOKER"}
        alone.decks = {name: borrowed | self.decks[name]}
        alone._names, alone._shares = [name], np.ones(1)
        return alone

    def deck(self, rng: np.random.Generator) -> str:
        """Return the name of a random deck; photographs and common designs come more often."""
        return str(rng.choice(self._names, p=self._shares))

    def face(self, rng: np.random.Generator, card: str) -> Face:
        """Return the face of a card in a random deck that has it."""
        return self.decks[self.deck_with(rng, card)][card]

    def deck_with(self, rng: np.random.Generator, card: str) -> str:
        """Return the name of a random deck that has a card."""
        while True:
            name = self.deck(rng)
            if card in self.decks[name]:
                return name

    def court_panel(self, rng: np.random.Generator, card: str) -> Face | None:
        """Return the framed middle of a court from a random deck, or None if no deck has one."""
        names = [name for name in FRAMED_COURTS if name in self.decks]
        if not names:
            return None
        face = self.decks[str(rng.choice(names))][card]
        return face[COURT_PANEL]


def _small(face: NDArray[np.uint8]) -> Face:
    size = (FACE_WIDTH, FACE_HEIGHT)
    return np.asarray(cv2.resize(face[:, :, :3], size, interpolation=cv2.INTER_AREA), np.uint8)


def _jitter(rng: np.random.Generator, colour: tuple[int, int, int], spread: float) -> tuple[int, int, int]:
    blue, green, red = np.clip(np.array(colour) + rng.normal(0, spread, 3), 0, 255).astype(int).tolist()
    return blue, green, red


def _colours(rng: np.random.Generator, dark_paper: bool) -> dict[str, tuple[int, int, int]]:
    if dark_paper:
        light = _jitter(rng, (150, 200, 225), 30)
        warm = _jitter(rng, (60, 90, 210), 30) if rng.random() < 0.5 else light
        return {"C": light, "S": light, "D": warm, "H": warm}
    if rng.random() < 0.04:
        return {suit: _jitter(rng, colour, 15) for suit, colour in FOUR_COLOURS.items()}
    black = _jitter(rng, (30, 28, 28), 14)
    red = _jitter(rng, (45, 35, 200), 22)
    return {"C": black, "S": black, "D": red, "H": red}


def random_style(rng: np.random.Generator) -> DrawnStyle:
    """Return the style of one invented deck."""
    jumbo = rng.random() < 0.18
    index = rng.uniform(0.125, 0.19) if jumbo else rng.uniform(0.066, 0.112)
    dark_paper = rng.random() < 0.03
    width = rng.uniform(0.48, 0.85)
    sign = index * rng.uniform(0.58, 0.95)
    gap = rng.uniform(0.004, 0.024)
    centre_x = max(rng.uniform(0.042, 0.075), index * width / 2 + 0.012)
    font = str(rng.choice(fonts())) if fonts() and rng.random() < 0.72 else None
    paper = (28, 26, 26) if dark_paper else (248, 250, 250)
    return DrawnStyle(
        font=font,
        stroke=rng.uniform(0.07, 0.19),
        index_height=index,
        index_width=width,
        index_centre=(centre_x, rng.uniform(0.022, 0.05) + index / 2),
        index_suit=sign,
        index_gap=gap,
        four_indices=rng.random() < 0.07,
        pip=rng.uniform(0.075, 0.11) if jumbo else rng.uniform(0.10, 0.165),
        column=rng.uniform(0.13, 0.18) if jumbo else rng.uniform(0.165, 0.225),
        top=rng.uniform(0.13, 0.22),
        ace=rng.uniform(0.12, 0.32),
        pips=rng.random() > 0.03,
        court_frame=(rng.uniform(0.56, 0.72), rng.uniform(0.76, 0.9)),
        court_fill=_jitter(rng, (190, 215, 235), 35),
        colours=_colours(rng, dark_paper),
        paper=_jitter(rng, paper, 6),
        heart_depth=rng.uniform(-0.5, 0.7),
        sign_width=rng.uniform(0.72, 1.06),
        spade_leaf=rng.uniform(0.64, 0.93),
        club_lobe=rng.uniform(-0.025, 0.02),
        diamond_curve=rng.uniform(-0.03, 0.2),
        diamond_width=rng.uniform(0.62, 0.98),
    )


def _ornate_ace(painter: FacePainter, rng: np.random.Generator, suit: str) -> None:
    """Paint an ace with a large sign, rings, rays and lines of print: the ace of spades differs most."""
    painter.face("A" + suit)
    canvas, ink = painter.canvas, painter.style.colours[suit]
    height, width = painter.height, painter.width
    centre = (width // 2, height // 2)
    for _ in range(int(rng.integers(0, 4))):
        axes = (int(rng.uniform(0.06, 0.4) * width), int(rng.uniform(0.06, 0.3) * height))
        thickness = int(rng.integers(1, 4))
        kind = rng.random()
        if kind < 0.4:
            colour = painter.style.paper if rng.random() < 0.5 else ink
            cv2.ellipse(canvas, centre, axes, 0, 0, 360, colour, thickness, cv2.LINE_AA)
        elif kind < 0.7:
            y = centre[1] + int(rng.uniform(-0.35, 0.35) * height)
            for x in range(centre[0] - axes[0], centre[0] + axes[0], 6):
                cv2.line(canvas, (x, y), (x + int(rng.integers(1, 5)), y), ink, thickness + 1)
        else:
            for angle in np.linspace(0, 2 * np.pi, int(rng.integers(8, 30)), endpoint=False):
                tip = (centre[0] + int(axes[0] * np.cos(angle)), centre[1] + int(axes[1] * np.sin(angle)))
                cv2.line(canvas, centre, tip, ink, 1, cv2.LINE_AA)


def invented_face(rng: np.random.Generator, card: str, art: ArtFaces, height: int = FACE_HEIGHT) -> Face:
    """Return the face of a card, `height` pixels high, in a newly invented style."""
    style = random_style(rng)
    painter = FacePainter(style, height)
    court = card[0] in "JQK" and card != "JOKER"
    panel = art.court_panel(rng, card) if court and rng.random() < 0.85 else None
    if panel is not None:
        wide, high = round(style.court_frame[0] * painter.width), round(style.court_frame[1] * painter.height)
        x0, y0 = (painter.width - wide) // 2, (painter.height - high) // 2
        painter.canvas[y0 : y0 + high, x0 : x0 + wide] = cv2.resize(
            panel, (wide, high), interpolation=cv2.INTER_AREA
        )
        painter.indices(card[:-1], card[-1])
    elif card[0] == "A" and (card == "AS" or rng.random() < 0.1):
        _ornate_ace(painter, rng, card[-1])
    else:
        painter.face(card)
    return painter.picture()


def some_back(rng: np.random.Generator, art: ArtFaces) -> Face:
    """Return the back of a random deck, or a lattice of a random colour."""
    if art.backs and rng.random() < 0.6:
        back = art.backs[int(rng.integers(len(art.backs)))]
        if rng.random() < 0.5:
            # Printers sell the same back in several colours.
            back = np.ascontiguousarray(back[:, :, rng.permutation(3)])
        return back
    colour = _jitter(rng, (90, 70, 90), 60)
    return _small(draw_back(colour, int(rng.integers(4)), float(rng.uniform(0, 0.08))))


def ornament(rng: np.random.Generator) -> Face:
    """Return a printed ornament, as on mats and tablecloths: no card, though it may look like one."""
    ground = rng.integers(10, 245, 3)
    ink = np.clip(ground + rng.choice([-1, 1]) * rng.uniform(12, 110) + rng.normal(0, 12, 3), 0, 255)
    half = np.full((FACE_HEIGHT, FACE_WIDTH // 2, 3), ground, np.uint8)
    for _ in range(int(rng.integers(4, 16))):
        start, reach = rng.uniform(0.1, 0.9, 2) * half.shape[1::-1], rng.uniform(0.02, 0.25) * FACE_HEIGHT
        turn = np.cumsum(rng.normal(0, 0.5, 12)) + rng.uniform(0, 2 * np.pi)
        steps = np.stack([np.cos(turn), np.sin(turn)], axis=1) * reach / 6
        line = np.round(start + np.cumsum(steps, axis=0)).astype(np.int32)
        cv2.polylines(half, [line], False, ink.tolist(), int(rng.integers(2, 14)), cv2.LINE_AA)
        if rng.random() < 0.4:
            cv2.fillPoly(half, [line], ink.tolist(), cv2.LINE_AA)
    if rng.random() < 0.4:
        half = np.minimum(half, half[::-1]) if ink.sum() < ground.sum() else np.maximum(half, half[::-1])
    whole = np.hstack([half, half[:, ::-1]])
    return whole if rng.random() < 0.7 else np.ascontiguousarray(np.roll(whole, FACE_WIDTH // 3, axis=1))


def some_card(rng: np.random.Generator) -> str:
    """Return a random card or joker. The ace of spades, which varies most, comes more often.

    The ace of clubs comes more often too. Otherwise the networks would call it the ace of spades.
    """
    kind = rng.random()
    if kind < 0.02:
        return "JOKER"
    return "AS" if kind < 0.04 else "AC" if kind < 0.06 else str(rng.choice(CARDS))
