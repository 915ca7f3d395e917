"""Openly licensed card faces from package registries: a list of them, and how to fetch and render them.

Nothing is committed. The client of the registry (`apt-get`, `npm`, `pip`) fetches a package, which is
unpacked into the cache of the user. `rsvg-convert` (librsvg2-bin of Debian) renders its pictures. Decks with
other indices than A, J, Q, K, or with other suits than the French ones, are left out.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH, CARDS, RANKS, SUITS, Deck, with_rounded_corners
from engine.errors import BadInputError

Picture = NDArray[np.uint8]

_LONG_RANKS = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
_LONG_SUITS = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
_FULL_SUITS = {"C": "Clubs", "D": "Diamonds", "H": "Hearts", "S": "Spades"}


@dataclass(frozen=True)
class Package:
    """A package of one registry (`debian`, `npm` or `pypi`)."""

    registry: str
    name: str
    version: str = ""


@dataclass(frozen=True)
class ArtSource:
    """The source of the pictures of one deck, and their licence."""

    package: Package
    licence: str
    member: str
    """Path inside the unpacked package. If each card is a file, `{}` stands for its name."""
    card_name: Callable[[str], str] | None = None
    """Name of a card in `member`, or of its id there; None for a 13 x 5 grid (rows C D H S, jokers)."""
    back: str = ""
    """Name of the back, in the form of `card_name`."""
    joker: str = ""
    styles: dict[str, str] = field(default_factory=dict)
    """Style sheets for single cards whose picture shows something else too."""


def _number_name(card: str) -> str:
    ranks = {"A": "1", "J": "11", "Q": "12", "K": "13"}
    return ranks.get(card[:-1], card[:-1]) + card[-1].lower()


def _ten_as_t(card: str) -> str:
    return card.replace("10", "T")


def _suit_first(card: str) -> str:
    return f"{_LONG_SUITS[card[-1]]}_{_LONG_RANKS.get(card[:-1], card[:-1])}"


def _rank_first(card: str) -> str:
    return f"{_LONG_RANKS.get(card[:-1], card[:-1])}_{_LONG_SUITS[card[-1]]}"


def _kenney(card: str) -> str:
    return f"{_FULL_SUITS[card[-1]]}{card[:-1]}"


_GNOME = Package("debian", "gnome-cards-data")
_KDE = Package("debian", "kdegames-card-data-kf5")
_KENNARD = Package("npm", "@heruka_urgyen/react-playing-cards", "0.5.0")


def _gnome(name: str) -> ArtSource:
    return ArtSource(_GNOME, "GPL-3.0-or-later", f"usr/share/aisleriot/cards/{name}.svgz")


def _kde(folder: str, name: str, licence: str) -> ArtSource:
    member = f"usr/share/carddecks/svg-{folder}/{name}.svgz"
    return ArtSource(_KDE, licence, member, _rank_first, back="back")


def _kennard(folder: str) -> ArtSource:
    return ArtSource(_KENNARD, "CC0-1.0", f"package/src/images/{folder}/{{}}.svg", _ten_as_t)


SOURCES: dict[str, ArtSource] = {
    "anglo": _gnome("anglo"),
    "anglo_bitmap": _gnome("anglo_bitmap"),
    "anglo_modern": _gnome("anglo_modern"),
    "anglo_modern_4_colour": _gnome("anglo_modern_4_color"),
    "anglo_poker": _gnome("anglo_poker"),
    "atlasnye": _gnome("atlasnye"),
    "bellot": _gnome("bellot"),
    "dondorf": _gnome("dondorf"),
    "gnomangelo": _gnome("gnomangelo"),
    "gnomangelo_bitmap": _gnome("gnomangelo_bitmap"),
    "guyenne": _gnome("guyenne-classic"),
    "neoclassical": _gnome("neoclassical"),
    "neoclassical_4_colour": _gnome("neoclassical_4_color"),
    "orell": _gnome("orell"),
    "ornamental": _gnome("ornamental"),
    "paris": _gnome("paris"),
    "plastic": _gnome("plastic"),
    "simplistic": _gnome("simplistic"),
    "tango": _gnome("tango"),
    "tigullio": _gnome("tigullio"),
    "bonded": ArtSource(
        Package("debian", "aisleriot"), "GPL-3.0-or-later", "usr/share/aisleriot/cards/bonded.svgz"
    ),
    "kde_standard": _kde("standard", "standard", "GPL-2.0-or-later"),
    "kde_tigullio": _kde("tigullio-international", "tigullio-international", "LGPL-2.0-or-later"),
    "kde_nicu_white": _kde("nicu-white", "white", "GPL-2.0-or-later"),
    "aguilar": ArtSource(
        Package("npm", "@younestouati/playing-cards-standard-deck", "3.0.0"),
        "LGPL-3.0",
        "package/cards/{}.svg",
        _number_name,
        joker="joker",
        # The picture of this card also shows the layout for very small sizes, over the normal one.
        styles={"4s": "svg > g:not(.maxi-card) { display: none }"},
    ),
    "kennard": _kennard("2color"),
    "kennard_jumbo": _kennard("2color-bf"),
    "kennard_4_colour": _kennard("4color"),
    "kennard_jumbo_4_colour": _kennard("4color-bf"),
    "bellot_svg_cards": ArtSource(
        Package("npm", "svg-cards", "4.0.2"),
        "LGPL-2.1",
        "package/png/2x/{}.png",
        _suit_first,
        back="back-navy",
        joker="joker_red",
    ),
    "kenney": ArtSource(
        Package("pypi", "arcade", "3.3.3"),
        "CC0-1.0",
        "arcade/resources/assets/images/cards/card{}.png",
        _kenney,
        back="Back_red3",
        joker="Joker",
    ),
}


# --- fetching -----------------------------------------------------------------------------------------


def _run(command: list[str], folder: Path) -> None:
    """Run a client or a converter. Raises BadInputError with its last error message."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BadInputError(f"{command[0]} is not installed") from error
    if done.returncode != 0:
        complaint = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise BadInputError(f"{' '.join(command[:3])} failed: {complaint}")


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".deb":
        _run(["dpkg-deb", "-x", str(archive), str(folder)], folder)
    elif archive.suffix == ".tgz":
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    else:
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)


def package_folder(package: Package, cache: Path) -> Path:
    """Return the folder in `cache` where a package lies once it is fetched."""
    return cache / "packages" / f"{package.registry}-{package.name.replace('/', '-').lstrip('@')}"


def fetch_package(package: Package, cache: Path) -> Path:
    """Return the folder of the unpacked package, after fetching it into `cache` if it is missing.

    Raises:
        BadInputError: the registry or its client is not available.
    """
    folder = package_folder(package, cache)
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    pinned = {
        "debian": ["apt-get", "download", package.name],
        "npm": ["npm", "pack", "--silent", f"{package.name}@{package.version}"],
        "pypi": [sys.executable, "-m", "pip", "download", "--no-deps", f"{package.name}=={package.version}"],
    }[package.registry]
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        download, unpacked = Path(scratch) / "download", Path(scratch) / "unpacked"
        download.mkdir()
        unpacked.mkdir()
        _run(pinned, download)
        archives = [path for path in download.iterdir() if path.suffix in (".deb", ".tgz", ".whl")]
        if len(archives) != 1:
            raise BadInputError(f"{' '.join(pinned[:2])}: {package.name} did not arrive as one archive")
        _unpack(archives[0], unpacked)
        # Renaming is one step, so an interrupted or simultaneous fetch leaves no half folder.
        if not folder.is_dir():
            unpacked.rename(folder)
    return folder


# --- rendering ----------------------------------------------------------------------------------------


def _read_bgra(path: Path) -> Picture:
    picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3:
        raise BadInputError(f"{path}: not a colour picture")
    if picture.dtype != np.uint8:
        picture = np.asarray(picture // 256, np.uint8)
    if picture.shape[2] == 3:
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)
    return np.asarray(picture, np.uint8)


def _render_svg(svg: Path, options: list[str], style: str = "") -> Picture:
    if not svg.is_file():
        raise BadInputError(f"{svg}: the package has no such picture")
    with tempfile.TemporaryDirectory() as scratch:
        png, sheet = Path(scratch) / "card.png", Path(scratch) / "card.css"
        sheet.write_text(style)
        styled = ["--stylesheet", str(sheet)] if style else []
        _run(["rsvg-convert", "--unlimited", *styled, *options, "-o", str(png), str(svg)], svg.parent)
        return _read_bgra(png)


def _render_grid(svg: Path) -> tuple[dict[str, Picture], list[Picture]]:
    """Return faces and backs of a 13 x 5 grid: rows C D H S, then two jokers and the back."""
    sheet = _render_svg(svg, ["-w", str(13 * CARD_WIDTH)])
    height = sheet.shape[0] / 5

    def cell(row: int, column: int) -> Picture:
        top, bottom = round(row * height), round((row + 1) * height)
        return sheet[top:bottom, column * CARD_WIDTH : (column + 1) * CARD_WIDTH]

    faces = {rank + suit: cell(r, c) for r, suit in enumerate(SUITS) for c, rank in enumerate(RANKS)}
    faces["JOKER"] = cell(4, 0)
    return faces, [cell(4, 2)]


def _render_one(folder: Path, source: ArtSource, name: str) -> Picture:
    if "{}" not in source.member:
        return _render_svg(folder / source.member, [f"--export-id={name}", "-h", str(CARD_HEIGHT)])
    path = folder / source.member.format(name)
    if path.suffix == ".svg":
        return _render_svg(path, ["-h", str(CARD_HEIGHT)], source.styles.get(name, ""))
    return _read_bgra(path)


def _trimmed(picture: Picture) -> Picture:
    """Return the picture without its transparent margins."""
    x, y, width, height = cv2.boundingRect((picture[:, :, 3] > 127).astype(np.uint8))
    if width < 8 or height < 8:
        raise BadInputError("a card of the package is an empty picture")
    return picture[y : y + height, x : x + width]


def render_deck(name: str, cache: Path) -> Deck:
    """Fetch and render the deck `name` of SOURCES.

    Raises:
        BadInputError: its package cannot be fetched or rendered. The message names the deck.
    """
    source = SOURCES[name]
    try:
        folder = fetch_package(source.package, cache)
        if source.card_name is None:
            faces, backs = _render_grid(folder / source.member)
        else:
            faces = {card: _render_one(folder, source, source.card_name(card)) for card in CARDS}
            if source.joker:
                faces["JOKER"] = _render_one(folder, source, source.joker)
            backs = [_render_one(folder, source, source.back)] if source.back else []
        finished = {card: with_rounded_corners(_trimmed(face)) for card, face in faces.items()}
        finished_backs = [with_rounded_corners(_trimmed(back)) for back in backs]
    except BadInputError as error:
        raise BadInputError(f"deck {name}: {error}") from error
    return Deck(name, source.licence, finished, finished_backs)
