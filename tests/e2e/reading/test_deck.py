"""An enrolled deck sharpens the reading of its own cards, and its file can do nothing but hold numbers."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from companion.cli.deck import card_of
from companion.cli.main import main
from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH
from datasets.art.drawn import DrawnStyle, draw_face
from engine.errors import BadInputError
from vision.decks.card_classes import CARDS
from vision.decks.deck import DECK_CARDS, Deck
from vision.decks.deck_files import deck_names, learnt_folder, load_deck, remove_deck, save_deck
from vision.decks.deck_head import DeckHead
from vision.decks.templates import TEMPLATE_HEIGHT, TEMPLATE_WIDTH
from vision.enrolment.examples import enrol
from vision.recognition.classifier import CLASSES, CardClassifier
from vision.recognition.crops import face_crops
from vision.types import Image

SHOWN = ("9S", "9C", "4H", "JOKER")
PART = 40


def synthetic(cards: tuple[str, ...], rng: np.random.Generator, noise: float = 0.3) -> Deck:
    """Return a deck whose features are a direction of its own for each card, and noise."""
    directions = np.random.default_rng(7).normal(0, 1, (len(DECK_CARDS), 24))
    labels = tuple(card for card in cards for _ in range(6))
    features = np.array([directions[DECK_CARDS.index(card)] for card in labels])
    return Deck("pub", "abc", labels, (features + rng.normal(0, noise, features.shape)).astype(np.float32))


def undecided(between: tuple[str, ...]) -> NDArray[np.float64]:
    p = np.full((1, len(CLASSES)), 1e-6)
    p[0, [CLASSES.index(card) for card in between]] = 1 / len(between)
    return np.asarray(np.log(p / p.sum()))


def test_a_shown_card_wins_where_the_networks_cannot_decide() -> None:
    rng = np.random.default_rng(0)
    head = DeckHead(synthetic(SHOWN, rng))
    for card in SHOWN:
        features = synthetic((card,), rng).features[:1]
        log_p = head.refine(undecided(SHOWN), features)
        assert CLASSES[int(log_p.argmax())] == card
        assert np.exp(log_p).sum() == pytest.approx(1)


def test_a_card_never_shown_is_not_talked_out_of() -> None:
    rng = np.random.default_rng(1)
    head = DeckHead(synthetic(SHOWN, rng))
    certain = np.log(np.full((1, len(CLASSES)), 1e-4))
    certain[0, CLASSES.index("KD")] = np.log(1 - 1e-4 * (len(CLASSES) - 1))
    features = synthetic(("KD",), rng).features[:1]
    assert CLASSES[int(head.refine(certain, features).argmax())] == "KD"


def whole_pack(rng: np.random.Generator) -> Deck:
    """Return a deck of all cards: features of a whole card (PART), then of its four corners (PART each)."""
    directions = np.random.default_rng(8).normal(0, 1, (len(CARDS), 2 * PART))
    labels = tuple(card for card in CARDS for _ in range(6))
    whole, corner = np.split(np.array([directions[CARDS.index(card)] for card in labels]), 2, axis=1)
    features = np.concatenate([whole, corner, corner, corner, corner], axis=1)
    return Deck("pack", "abc", labels, (features + rng.normal(0, 0.2, features.shape)).astype(np.float32))


def test_a_shown_card_is_told_by_a_lone_index() -> None:
    deck = whole_pack(np.random.default_rng(5))
    head = DeckHead(deck)
    asked = ("9S", "4H")
    rows = [deck.cards.index(card) for card in asked]
    log_p = head.refine_index(np.repeat(undecided(asked), 2, axis=0), deck.features[rows, -2 * PART :])
    assert [CLASSES[k] for k in log_p.argmax(axis=1)] == list(asked)
    assert np.exp(log_p).sum(axis=1) == pytest.approx(1)


def test_a_deck_of_which_cards_are_missing_says_nothing_of_a_lone_index() -> None:
    head = DeckHead(synthetic(SHOWN, np.random.default_rng(6)))
    log_p = undecided(SHOWN)
    assert (head.refine_index(log_p, np.ones((1, 2 * PART), np.float32)) == log_p).all()


def test_a_deck_is_not_heard_about_a_covered_card_that_is_hardly_like_any_of_its_cards() -> None:
    deck = whole_pack(np.random.default_rng(7))
    nine = deck.features[[deck.cards.index("9S")]]
    head, nothing = DeckHead(deck), 0.9 * deck.features.mean(axis=0) + 0.1 * nine
    covered = undecided(("9S", "4H"))
    covered[0, -1] = np.log(0.05)
    covered -= np.logaddexp.reduce(covered, axis=1, keepdims=True)
    assert head.refine(covered, nothing) == pytest.approx(covered)
    seen_whole = undecided(("9S", "4H"))
    assert CLASSES[int(head.refine(seen_whole, nothing).argmax())] == "9S"
    assert CLASSES[int(head.refine(covered, nine).argmax())] == "9S"


def test_one_card_is_no_deck() -> None:
    with pytest.raises(BadInputError, match="at least two"):
        DeckHead(synthetic(("9S",), np.random.default_rng(2)))


def test_a_deck_is_saved_and_found_again(tmp_path: Path) -> None:
    deck = synthetic(SHOWN, np.random.default_rng(3))
    save_deck(deck, tmp_path)
    found = load_deck("pub", tmp_path)
    assert found.cards == deck.cards
    assert found.weights_fingerprint == "abc"
    assert np.allclose(found.features, deck.features, rtol=1e-3)
    assert found.backs.shape == (0, 0)
    assert deck_names(tmp_path) == ("pub",)
    remove_deck("pub", tmp_path)
    assert deck_names(tmp_path) == ()


def rewritten(path: Path, **parts: object) -> None:
    """Write the file anew with other parts; None leaves one out."""
    with np.load(path) as arrays:
        kept = dict(arrays) | parts
    np.savez_compressed(path, **{name: part for name, part in kept.items() if part is not None})


def test_a_deck_with_changed_numbers_is_refused_in_one_line(tmp_path: Path) -> None:
    path = save_deck(synthetic(SHOWN, np.random.default_rng(3)), tmp_path)
    with np.load(path) as arrays:
        features, cards = arrays["features"].copy(), arrays["cards"].copy()
    features[0, 0] += 1
    rewritten(path, features=features)
    with pytest.raises(BadInputError, match=r"pub\.npz: the deck file has been changed.*enrol") as refused:
        load_deck("pub", tmp_path)
    assert "\n" not in str(refused.value)
    path = save_deck(synthetic(SHOWN, np.random.default_rng(3)), tmp_path)
    rewritten(path, cards=cards[::-1].copy())
    with pytest.raises(BadInputError, match="has been changed"):
        load_deck("pub", tmp_path)


def test_a_deck_of_before_there_were_checksums_is_still_read(tmp_path: Path) -> None:
    path = save_deck(synthetic(SHOWN, np.random.default_rng(3)), tmp_path)
    rewritten(path, checksum=None, backs=None)
    assert set(load_deck("pub", tmp_path).cards) == set(SHOWN)


def pictured(cards: tuple[str, ...] = ("9S", "4H")) -> Deck:
    rng = np.random.default_rng(9)
    kept = rng.integers(0, 256, (len(cards), TEMPLATE_HEIGHT, TEMPLATE_WIDTH)).astype(np.uint8)
    return replace(synthetic(SHOWN, rng), template_cards=cards, templates=kept)


def test_the_cards_pictures_are_kept_with_a_deck(tmp_path: Path) -> None:
    deck = pictured()
    save_deck(deck, tmp_path)
    found = load_deck("pub", tmp_path)
    assert found.template_cards == ("9S", "4H")
    assert (found.templates == deck.templates).all()
    known = DeckHead(found).templates
    assert known is not None
    assert known.cards == ("9S", "4H")


def test_a_deck_of_before_there_were_pictures_is_still_read(tmp_path: Path) -> None:
    path = save_deck(synthetic(SHOWN, np.random.default_rng(3)), tmp_path)
    with np.load(path) as arrays:
        older = {name: arrays[name] for name in ("format", "weights", "cards", "features", "backs")}
    digest = hashlib.sha256()
    for name, part in older.items():
        digest.update(f"{name} {part.dtype.str} {part.shape}".encode() + part.tobytes())
    np.savez_compressed(path, **older, checksum=np.array(digest.hexdigest()))
    found = load_deck("pub", tmp_path)
    assert found.template_cards == ()
    assert DeckHead(found).templates is None


@pytest.mark.parametrize(
    "parts",
    [
        {"pictures": np.zeros((2, TEMPLATE_HEIGHT, TEMPLATE_WIDTH + 1), np.uint8)},
        {"pictures": np.zeros((1, TEMPLATE_HEIGHT, TEMPLATE_WIDTH), np.uint8)},
        {"pictures": np.zeros((2, TEMPLATE_HEIGHT, TEMPLATE_WIDTH), np.float64)},
        {"pictures": np.zeros(2, np.uint8)},
        {"pictures": None},
        {"pictured": np.array(["9S", "9S"])},
        {"pictured": np.array(["9S", "JOKER"])},
        {"pictured": np.array(["9S", "1X"])},
        {"pictured": np.array([9, 4])},
        {"pictured": np.array("9S")},
        {"pictured": None},
    ],
)
def test_pictures_that_are_none_of_a_decks_cards_are_refused_in_one_line(
    parts: dict[str, object], tmp_path: Path
) -> None:
    path = save_deck(pictured(), tmp_path)
    rewritten(path, **parts, checksum=None)
    with pytest.raises(BadInputError, match=r"pub\.npz: not a deck file") as refused:
        load_deck("pub", tmp_path)
    assert "\n" not in str(refused.value)


def test_a_changed_or_removed_picture_is_noticed(tmp_path: Path) -> None:
    path = save_deck(pictured(), tmp_path)
    rewritten(path, pictures=np.zeros((2, TEMPLATE_HEIGHT, TEMPLATE_WIDTH), np.uint8))
    with pytest.raises(BadInputError, match="has been changed"):
        load_deck("pub", tmp_path)
    path = save_deck(pictured(), tmp_path)
    rewritten(path, pictures=None, pictured=None)
    with pytest.raises(BadInputError, match="has been changed"):
        load_deck("pub", tmp_path)


@pytest.mark.parametrize("name", ["", "../pub", "a/b", "a" * 41, "pub.npz", "~root", "a b"])
def test_a_name_that_is_no_plain_word_is_refused(name: str, tmp_path: Path) -> None:
    deck = synthetic(SHOWN, np.random.default_rng(3))
    with pytest.raises(BadInputError, match="letters"):
        save_deck(Deck(name, deck.weights_fingerprint, deck.cards, deck.features), tmp_path)


@given(st.binary(max_size=300))
def test_no_bytes_make_a_deck_file_do_harm(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("decks")
    (folder / "bad.npz").write_bytes(content)
    with pytest.raises(BadInputError, match=r"bad\.npz"):
        load_deck("bad", folder)


def test_a_cut_off_deck_file_is_named(tmp_path: Path) -> None:
    path = save_deck(synthetic(SHOWN, np.random.default_rng(4)), tmp_path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BadInputError, match=r"pub\.npz"):
        load_deck("pub", tmp_path)


class Harm:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, ("harm",))


def test_pickled_objects_are_not_loaded(tmp_path: Path) -> None:
    harmful = np.array([Harm()], dtype=object)
    np.savez(tmp_path / "bad.npz", format=1, weights="x", cards=harmful, features=np.zeros((1, 2)))
    with pytest.raises(BadInputError, match=r"bad\.npz"):
        load_deck("bad", tmp_path)
    (tmp_path / "worse.npz").write_bytes(pickle.dumps({"format": 1}))
    with pytest.raises(BadInputError, match=r"worse\.npz"):
        load_deck("worse", tmp_path)


def test_examples_of_other_networks_are_refused() -> None:
    head = DeckHead(synthetic(SHOWN, np.random.default_rng(5)))
    with pytest.raises(BadInputError, match="enrol it again"):
        CardClassifier(deck=head)


def test_enrolling_tells_faces_apart_that_the_networks_cannot_read() -> None:
    """Four faces of mere blots: between those four cards, only what was shown can decide."""
    width, height = CARD_WIDTH // 3, CARD_HEIGHT // 3
    quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    rng = np.random.default_rng(6)
    faces = {}
    for card in ("9S", "4D", "KC", "AH"):
        picture = draw_face("2C", DrawnStyle(index_height=0.01, index_suit=0.01, pip=0.01))[
            ::3, ::3, :3
        ].copy()
        for _ in range(4):
            x, y = rng.integers(10, (width - 40, height - 40))
            picture[y : y + 30, x : x + 30] = rng.integers(0, 255, 3)
        faces[card] = picture[:height, :width]

    def seen(face: Image) -> Image:
        return np.asarray(np.clip(face + rng.normal(0, 8, face.shape), 0, 255), np.uint8)

    reader = CardClassifier(threads=1)
    # Five times each, as a card that rests before the camera is read.
    shown = [(seen(face), quad, card) for _ in range(5) for card, face in faces.items()]
    deck = enrol("blots", shown, reader)
    assert deck.template_cards == tuple(faces)
    assert deck.templates.shape == (len(faces), TEMPLATE_HEIGHT, TEMPLATE_WIDTH)
    head = DeckHead(deck)
    for card, face in faces.items():
        features = reader.features(*reader.outputs([face_crops(seen(face), quad)]))
        log_p = head.refine(undecided(tuple(faces)), features)
        assert CLASSES[int(log_p.argmax())] == card


# --- the command --------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_the_command_lists_shows_and_forgets(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "list"]) == 0
    assert "no deck" in capsys.readouterr().out
    save_deck(synthetic(SHOWN, np.random.default_rng(3)))
    assert main(["deck", "list"]) == 0
    assert "pub: 4 cards" in capsys.readouterr().out
    assert main(["deck", "show", "pub"]) == 0
    assert "enrolled: 4H 9C 9S JOKER" in capsys.readouterr().out
    assert main(["deck", "remove", "pub"]) == 0
    assert main(["deck", "show", "pub"]) == 2
    assert "pub: not enrolled" in capsys.readouterr().err
    assert main(["deck", "remove", "pub"]) == 2


def test_what_was_learnt_during_play_is_listed_apart_and_forgotten(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    cards = ("9S",) * 8 + ("4H",) * 16  # one picture, and two at two moments
    save_deck(Deck("learnt", "x", cards, rng.normal(0, 1, (24, 12)).astype(np.float32)), learnt_folder())
    assert deck_names() == ()
    assert main(["deck", "list"]) == 0
    said = capsys.readouterr().out
    assert "no deck is enrolled" in said
    assert "learnt during play: 1 card (used from 26 on" in said
    assert main(["deck", "remove", "--learnt"]) == 0
    assert main(["deck", "list"]) == 0
    assert "learnt" not in capsys.readouterr().out.replace("forgotten", "").partition("no deck")[2]
    assert main(["deck", "remove", "--learnt"]) == 2
    assert "nothing was learnt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "card"), [("10H.jpg", "10H"), ("qs_2.png", "QS"), ("JOKER.jpg", "JOKER"), ("2c-dim.jpg", "2C")]
)
def test_a_photo_is_named_after_its_card(name: str, card: str) -> None:
    assert card_of(Path(name)) == card


@pytest.mark.parametrize("name", ["table.jpg", "1H.jpg", "10.jpg", "QS2.jpg", "KING.jpg"])
def test_a_photo_that_is_not_is_refused(name: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "enrol", "mine", name]) == 2
    assert name in capsys.readouterr().err
    assert deck_names() == ()
