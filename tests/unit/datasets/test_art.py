"""Decks of card faces are complete, upright and never mirrored, and drawn cards have the right pips."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art import decks as art
from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH, CARDS, RANKS, SUITS, Deck, corner_mask
from datasets.art.decks import VALID_DECKS, deck_names, load_deck
from datasets.art.drawn import BLACK, RED, DrawnStyle, draw_back, draw_face, pip_places
from datasets.art.sources import SOURCES, Package, fetch_package, package_folder, render_deck
from datasets.photos import photos_root
from engine.errors import BadInputError

SHADES = {card: 4 * number + 20 for number, card in enumerate((*CARDS, "JOKER"))}


def drawn() -> Deck:
    return load_deck("drawn")


def inked(face: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return (face[:, :, 1] < 128).astype(np.uint8)


def test_the_drawn_deck_is_complete() -> None:
    assert set(drawn().faces) == {*CARDS, "JOKER"}
    assert len(CARDS) == 52
    assert len(drawn().backs) >= 2


@pytest.mark.parametrize("card", ["AS", "10H", "KD", "JOKER"])
def test_a_face_has_the_common_size_and_round_corners(card: str) -> None:
    face = drawn().faces[card]
    assert face.shape == (CARD_HEIGHT, CARD_WIDTH, 4)
    assert face.dtype == np.uint8
    assert all(face[y, x, 3] == 0 for y in (0, -1) for x in (0, -1))
    assert face[CARD_HEIGHT // 2, 0, 3] == 255


@pytest.mark.parametrize("rank", RANKS[1:10])
@pytest.mark.parametrize("suit", SUITS)
def test_a_face_has_as_many_pips_as_its_rank(rank: str, suit: str) -> None:
    middle = inked(drawn().faces[rank + suit])[:, 66:-66]
    found, _ = cv2.connectedComponents(cv2.morphologyEx(middle, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)))
    assert found - 1 == int(rank)
    assert len(pip_places(rank)) == int(rank)


@pytest.mark.parametrize("card", CARDS)
def test_indices_are_only_top_left_and_bottom_right(card: str) -> None:
    corner = inked(drawn().faces[card])[8:120, 6:60]
    other = inked(drawn().faces[card])[8:120, -60:-6]
    turned = inked(np.ascontiguousarray(drawn().faces[card][::-1, ::-1]))[8:120, 6:60]
    assert corner.sum() > 400
    assert other.sum() == 0
    assert np.abs(corner.astype(int) - turned).mean() < 0.02


def test_red_suits_are_red_and_black_suits_black() -> None:
    for card in CARDS:
        face = drawn().faces[card]
        ink = face[:, :60, :3][inked(face)[:, :60] > 0]
        expected = RED if card[-1] in "DH" else BLACK
        assert np.abs(np.median(ink, axis=0) - expected).max() < 12, card


def test_all_faces_differ() -> None:
    small = {
        card: cv2.resize(face, (63, 88), interpolation=cv2.INTER_AREA) for card, face in drawn().faces.items()
    }
    cards = list(small)
    for k, one in enumerate(cards):
        for two in cards[k + 1 :]:
            assert np.abs(small[one].astype(int) - small[two]).max() > 40, (one, two)


def test_four_indices_and_jumbo_indices_change_the_corners() -> None:
    plain = inked(draw_face("9C", DrawnStyle()))
    four = inked(draw_face("9C", DrawnStyle(four_indices=True)))
    jumbo = inked(draw_face("9C", DrawnStyle(index_height=0.16)))
    assert four[8:120, -60:-6].sum() > 400
    assert jumbo[:130, :75].sum() > 1.5 * plain[:130, :75].sum()


@pytest.mark.parametrize("pattern", range(4))
def test_a_back_shows_only_its_colour(pattern: int) -> None:
    back = draw_back((150, 60, 30), pattern)
    assert back.shape == (CARD_HEIGHT, CARD_WIDTH, 4)
    assert back[:, :, 0].mean() > back[:, :, 2].mean() + 20


def test_the_corner_mask_is_symmetric() -> None:
    mask = corner_mask()
    assert np.array_equal(mask, mask[::-1])
    assert np.array_equal(mask, mask[:, ::-1])


# --- sources of decks ---------------------------------------------------------------------------------


def test_held_out_decks_are_in_no_other_split() -> None:
    assert set(deck_names("valid")) == set(VALID_DECKS)
    assert not set(deck_names("train")) & set(deck_names("valid"))
    assert set(deck_names("train")) | set(deck_names("valid")) == set(deck_names("all"))
    assert len(deck_names("all")) >= 20


def test_every_source_states_a_licence_and_a_version() -> None:
    for name, source in SOURCES.items():
        assert source.licence, name
        assert source.package.version or source.package.registry == "debian", name


def test_an_unknown_deck_is_named() -> None:
    with pytest.raises(BadInputError, match=r"deck nonesuch: there is no such deck"):
        load_deck("nonesuch")


@pytest.mark.skipif(photos_root() is None, reason="the photo folder is missing")
def test_the_photographed_deck_is_complete() -> None:
    deck = load_deck("bidly")
    assert set(deck.faces) == set(CARDS)
    # In the photographs too, paper is light, and red suits are redder than black ones.
    red, black = deck.faces["9H"], deck.faces["9S"]
    assert red[:, :, 2].mean() - red[:, :, 0].mean() > black[:, :, 2].mean() - black[:, :, 0].mean() + 5


def test_without_photos_the_photographed_deck_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHITHEAD_PHOTOS", str(tmp_path / "none"))
    load_deck.cache_clear()
    with pytest.raises(BadInputError, match="photo folder is missing"):
        load_deck("bidly")


def test_a_missing_client_gives_one_clear_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInputError, match=r"deck aguilar: npm is not installed"):
        render_deck("aguilar", tmp_path / "cache")
    assert not list((tmp_path / "cache" / "packages").iterdir())


def test_a_failing_client_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*args: object, **kwargs: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "first\nE: no route to the registry\n")

    monkeypatch.setattr("datasets.art.sources.subprocess.run", refuse)
    with pytest.raises(BadInputError, match=r"failed: E: no route to the registry"):
        fetch_package(Package("npm", "anything", "1.0.0"), tmp_path)
    assert not list((tmp_path / "packages").iterdir())


def small_grid() -> NDArray[np.uint8]:
    """Return a 13 x 5 grid as in the packages, with another grey in each cell."""
    cells = np.arange(65, dtype=np.uint8).reshape(5, 13) * 3 + 20
    sheet = cells.repeat(CARD_HEIGHT, axis=0).repeat(CARD_WIDTH, axis=1)
    return np.dstack([sheet] * 3 + [np.full_like(sheet, 255)])


def test_a_grid_is_cut_in_the_order_of_its_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def convert(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        """Stands for the converter of SVG: it writes the grid."""
        assert command[0] == "rsvg-convert"
        assert cv2.imwrite(command[command.index("-o") + 1], small_grid())
        return subprocess.CompletedProcess([], 0, "", "")

    monkeypatch.setattr("datasets.art.sources.subprocess.run", convert)
    svg = package_folder(SOURCES["anglo"].package, tmp_path) / SOURCES["anglo"].member
    svg.parent.mkdir(parents=True)
    svg.touch()
    deck = render_deck("anglo", tmp_path)
    for row, suit in enumerate(SUITS):
        for column, rank in enumerate(RANKS):
            assert deck.faces[rank + suit][200, 200, 0] == (row * 13 + column) * 3 + 20
    assert deck.faces["JOKER"][200, 200, 0] == 52 * 3 + 20
    assert deck.backs[0][200, 200, 0] == 54 * 3 + 20


def test_a_rendered_deck_is_read_back_from_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = np.ones((CARD_HEIGHT, CARD_WIDTH, 4), np.uint8)
    made = Deck("anglo", "GPL-3.0-or-later", {card: plain * shade for card, shade in SHADES.items()}, [plain])
    calls: list[str] = []

    def render(name: str, cache: Path) -> Deck:
        calls.append(name)
        return made

    monkeypatch.setattr(art, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(art, "render_deck", render)
    for _ in range(2):
        load_deck.cache_clear()
        deck = load_deck("anglo")
    load_deck.cache_clear()
    assert calls == ["anglo"]
    assert {card: face.min() for card, face in deck.faces.items()} == SHADES
    assert {card: face.max() for card, face in deck.faces.items()} == SHADES
    assert np.array_equal(deck.backs, [plain])
    (tmp_path / "anglo.png").write_bytes(b"cut off")
    load_deck("anglo")
    load_deck.cache_clear()
    assert calls == ["anglo", "anglo"]
