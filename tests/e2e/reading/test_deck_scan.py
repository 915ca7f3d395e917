"""A pack that is shown card by card is enrolled; what cannot be told is said and not guessed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from companion.cli.main import main
from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH
from datasets.art.drawn import DrawnStyle, draw_back, draw_face
from tests.support.shown import show_pack
from vision.decks.deck_files import deck_names, load_deck
from vision.enrolment.deck_scan import DeckScan, ShownCard, identify_cards
from vision.enrolment.linear_assignment import linear_sum_assignment
from vision.geometry import image_border
from vision.recognition.classifier import CLASSES, CardClassifier, classification_of
from vision.recognition.detector import Detection
from vision.types import Image

SQUARE = np.zeros((4, 2), np.float32)
PRINT = np.zeros((1, 1), np.float32)


def showing(odds: dict[str, float], t: float = 1.0) -> ShownCard:
    """Return a card of which the networks say so much."""
    p = np.full(len(CLASSES), 1e-6)
    for card, share in odds.items():
        p[CLASSES.index(card)] = share
    made = ShownCard(t, SQUARE, PRINT)
    made.readings = [classification_of(np.log(p / p.sum()), 0.65)]
    return made


def names(showings: Sequence[ShownCard]) -> list[str]:
    return sorted(card for card, _ in identify_cards(showings).cards)


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(4, 6)), elements=st.floats(-9, 9)))
@settings(max_examples=60, deadline=None)
def test_the_assignment_has_the_least_cost_of_all(costs: np.ndarray) -> None:
    rows, columns = costs.shape
    chosen = linear_sum_assignment(costs)
    assert len(set(chosen.tolist())) == rows
    least = min(
        sum(costs[row, column] for row, column in enumerate(choice))
        for choice in itertools.permutations(range(columns), rows)
    )
    assert costs[np.arange(rows), chosen].sum() == pytest.approx(least)


def test_a_card_exists_once_so_the_second_best_reading_goes_to_the_other() -> None:
    unsure = showing({"9S": 0.8, "8S": 0.2})
    assert names([showing({"9S": 1.0}), unsure]) == ["8S", "9S"]
    settled = identify_cards([unsure])
    assert settled.cards == ()
    assert settled.unidentified[0].candidates == ("9S", "8S")


def test_jokers_may_repeat_and_a_card_shown_twice_counts_once() -> None:
    twice = [showing({"JOKER": 1.0}), showing({"JOKER": 1.0}), showing({"QH": 1.0}), showing({"QH": 1.0})]
    assert names(twice) == ["JOKER", "JOKER", "QH"]


def test_two_cards_that_look_alike_are_left_open() -> None:
    alike = [showing({"9S": 0.5, "8S": 0.5}, t) for t in (3.0, 4.0)]
    settled = identify_cards(alike)
    assert settled.cards == ()
    assert [(doubt.t, set(doubt.candidates)) for doubt in settled.unidentified] == [
        (3.0, {"8S", "9S"}),
        (4.0, {"8S", "9S"}),
    ]


def test_the_last_card_of_a_whole_pack_needs_little_reading() -> None:
    cards = [card for card in CLASSES if card not in ("JOKER", "NONE")]
    pack = [showing({card: 1.0}) for card in cards[1:]] + [showing({"NONE": 0.6, cards[0]: 0.4})]
    assert names(pack) == sorted(cards)


class Scripted:
    """Finds one card where the script says so; None: none."""

    def __init__(self, quads: Sequence[np.ndarray | None]) -> None:
        self._quads = iter(quads)

    def detect(self, image: Image, card_height: float | None = None) -> list[Detection]:
        quad = next(self._quads)
        return [] if quad is None else [Detection(quad, "up", 0.99)]


def test_a_card_counts_once_it_rests_and_once_only() -> None:
    width, height = CARD_WIDTH // 2, CARD_HEIGHT // 2
    quad = image_border(width, height)
    seven, king = (draw_face(card, DrawnStyle())[::2, ::2, :3].copy() for card in ("7H", "KC"))
    script = [quad + 30, quad, quad, quad, None, quad, quad, quad, quad, quad]
    show = DeckScan(Scripted(script), CardClassifier(threads=1))
    pictures = [seven] * 7 + [king] * 3
    seen = [show.look(picture, 0.2 * k) for k, picture in enumerate(pictures)]
    assert seen == ["hold", "hold", "hold", "taken", "nothing", "seen", "seen", "hold", "hold", "taken"]
    assert names(show.shown_cards) == ["7H", "KC"]


# --- the command --------------------------------------------------------------------------------------

NARROW = DrawnStyle(
    stroke=0.1,
    index_height=0.1,
    index_width=0.5,
    pip=0.11,
    column=0.18,
    ace=0.3,
    paper=(225, 238, 244),
    heart_depth=0.4,
    spade_leaf=0.7,
    diamond_curve=0.18,
)
"""A style of its own, not that of the deck `drawn`."""
SHOWN = ("KD", "7S", "AC", "JOKER", "7S", "10C")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_a_film_of_a_pack_being_shown_enrols_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = home / "pack.mp4"
    faces = {card: draw_face(card, NARROW) for card in set(SHOWN)}
    show_pack(film, SHOWN, faces, back=draw_back((40, 30, 160)))
    assert main(["deck", "enrol", "mine", str(film), "--json"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    # The ace of clubs of this style looks much like a spade, and jokers bear what their makers like (this one
    # is told just about as surely as is asked): they may be left open, but must not be misnamed.
    enrolled = set(told["enrolled"])
    assert set(SHOWN) - {"AC", "JOKER"} <= enrolled <= set(SHOWN)
    assert len(enrolled) + len(told["unclear"]) == len(set(SHOWN))
    assert len(told["missing"]) == 52 - len(enrolled - {"JOKER"})
    assert told["back"] is True
    assert err == ""
    deck = load_deck("mine")
    assert set(deck.cards) == enrolled
    assert main(["deck", "show", "mine"]) == 0
    assert "back: enrolled" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["missing.mp4", "empty.mp4", "text.mp4", "bare.mp4"])
def test_a_film_that_shows_no_pack_is_named_in_one_line(
    what: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = home / what
    if what == "empty.mp4":
        film.touch()
    elif what == "text.mp4":
        film.write_text("no film")
    elif what == "bare.mp4":
        show_pack(film, ("2C",), {"2C": np.full((528, 378, 3), 120, np.uint8)})
    assert main(["deck", "enrol", "mine", str(film)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("shithead deck: ")
    assert what in line
    assert deck_names() == ()
