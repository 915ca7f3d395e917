"""The people of a film: random bodies, skins, clothes and hair, as meshes on a skeleton."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.people import art
from datasets.films.people.rig import Skeleton, Skin, normals_of

_LEGS = ("lowerleg", "foot", "toe")
"""Parts that nobody sees under a table are not drawn."""
_ROOM_MM = 4.0
_ORIGINS = ("caucasian", "african", "asian")


@dataclass(frozen=True, slots=True)
class Looks:
    """What one person looks like."""

    sex: str
    age: float
    """0 is young, 1 is old."""
    origin: str
    muscle: float
    """-1 to 1, as `weight`; 0 is average."""
    weight: float
    clothes: str
    hair: str
    hue: float
    """Turn of the colour of the clothes, degrees."""
    shade: float
    """Brightness of the clothes; 1 leaves it."""
    hair_shade: float
    skin_shade: float
    hand: float
    """Size of the whole person, 1 is average."""


def random_looks(rng: random.Random) -> Looks:
    """Return the looks of a random person."""
    sex = rng.choice(("male", "female"))
    return Looks(
        sex=sex,
        age=rng.choice((0.0, rng.uniform(0.0, 0.5), rng.uniform(0.3, 1.0))),
        origin=rng.choice(_ORIGINS),
        muscle=rng.uniform(-0.6, 0.8),
        weight=rng.uniform(-0.6, 0.7),
        clothes=rng.choice(art.MALE_CLOTHES if sex == "male" else art.FEMALE_CLOTHES),
        hair=rng.choice(art.SHORT_HAIR if sex == "male" else art.LONG_HAIR),
        hue=rng.choice((0.0, rng.uniform(0.0, 360.0), rng.uniform(0.0, 360.0))),
        shade=rng.uniform(0.7, 1.3),
        hair_shade=rng.uniform(0.8, 1.5),
        skin_shade=rng.uniform(0.92, 1.08),
        hand=rng.uniform(0.96, 1.06),
    )


def shares_of(looks: Looks) -> dict[str, float]:
    """Return the shares of the targets that make the body of a person."""
    shares: dict[str, float] = {}
    for age, part in (("young", 1.0 - looks.age), ("old", looks.age)):
        if part <= 0.0:
            continue
        shares[f"macrodetails/{looks.origin}-{looks.sex}-{age}"] = part
        for muscle, strong in _split(looks.muscle):
            for weight, heavy in _split(looks.weight):
                share = part * strong * heavy
                if share > 0.0:
                    name = f"macrodetails/universal-{looks.sex}-{age}-{muscle}muscle-{weight}weight"
                    shares[name] = share
    return shares


def _split(value: float) -> tuple[tuple[str, float], ...]:
    """Return the shares of `min`, `average` and `max` for a value from -1 to 1."""
    return (("min", max(-value, 0.0)), ("average", 1.0 - abs(value)), ("max", max(value, 0.0)))


@dataclass(frozen=True, eq=False)
class Part:
    """One mesh of a person, with its skin and its picture."""

    name: str
    """`body`, `clothes`, `hair` or `eyes`."""
    skin: Skin
    uvs: NDArray[np.float32]
    triangles: NDArray[np.int32]
    texture: NDArray[np.uint8]
    """h x w x 4, BGRA."""
    hands: NDArray[np.bool_]
    """For each vertex, whether it belongs to a hand."""


@dataclass(frozen=True, eq=False)
class Figure:
    """One person, ready to be bent and drawn."""

    skeleton: Skeleton
    parts: tuple[Part, ...]


def make_figure(looks: Looks) -> Figure:
    """Return a person. The first call may fetch the bodies, which takes a while.

    Raises:
        BadInputError: the bodies cannot be fetched or read.
    """
    body = art.load_body()
    points = (art.shaped(shares_of(looks)) * np.float32(looks.hand)).astype(np.float32)
    joints = [(points[head].mean(axis=0), points[tail].mean(axis=0)) for head, tail in body.joints]
    skeleton = Skeleton(
        names=body.names,
        parents=tuple(int(parent) for parent in body.parents),
        heads=np.array([head for head, _ in joints], np.float64),
        tails=np.array([tail for _, tail in joints], np.float64),
    )
    hidden_bones = _bones(skeleton, _LEGS)
    hand_bones = _bones(skeleton, ("wrist", "finger", "metacarpal"))
    worn = [
        ("clothes", art.load_garment("clothes", looks.clothes), looks.shade),
        ("hair", art.load_garment("hair", looks.hair), looks.hair_shade),
        ("eyes", art.load_garment("eyes", art.EYES), 1.0),
    ]
    hides = np.logical_or.reduce([garment.hides for _, garment, _ in worn])
    parts = [
        _part(
            "body",
            body.mesh,
            points[body.mesh.sources],
            _tinted(art.read_texture(_skin(looks)), 0.0, looks.skin_shade, opaque=True),
            skeleton,
            (hidden_bones, hand_bones),
            hides[body.mesh.sources],
        )
    ]
    for name, garment, shade in worn:
        fitted = (points[garment.anchors] * garment.shares[..., None]).sum(axis=1) + garment.offsets
        if name == "clothes":  # a little room, so that no skin comes through where cloth is bent
            fitted = fitted + _smooth_normals(fitted.astype(np.float32), garment.mesh) * np.float32(_ROOM_MM)
        picture = art.read_texture(garment.texture)
        parts.append(
            _part(
                name,
                garment.mesh,
                fitted.astype(np.float32),
                _tinted(picture, looks.hue if name == "clothes" else 0.0, shade, opaque=name != "hair"),
                skeleton,
                (hidden_bones, hand_bones),
                np.zeros(len(fitted), np.bool_),
            )
        )
    return Figure(skeleton, tuple(parts))


def _skin(looks: Looks) -> Path:
    age = "young" if looks.age < 0.25 else "middleage" if looks.age < 0.6 else "old"
    return art.skin_texture(age, looks.origin, looks.sex)


def _bones(skeleton: Skeleton, starts: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.array([name.startswith(starts) for name in skeleton.names], np.bool_)


def _part(
    name: str,
    mesh: art.Mesh,
    points: NDArray[np.float32],
    texture: NDArray[np.uint8],
    skeleton: Skeleton,
    bones: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    hidden: NDArray[np.bool_],
) -> Part:
    """Return a part without the faces that nothing shows."""
    unseen, hands = ((np.where(which[mesh.bones], mesh.weights, 0.0).sum(axis=1) > 0.5) for which in bones)
    drop = hidden | unseen
    kept = mesh.triangles[~drop[mesh.triangles].any(axis=1)]
    used, numbers = np.unique(kept, return_inverse=True)
    normals = _smooth_normals(points, mesh)
    skin = Skin(points[used], normals[used], mesh.bones[used], mesh.weights[used], skeleton.heads)
    return Part(
        name, skin, mesh.uvs[used], numbers.reshape(-1, 3).astype(np.int32), texture, np.asarray(hands[used])
    )


def _smooth_normals(points: NDArray[np.float32], mesh: art.Mesh) -> NDArray[np.float32]:
    """Return normals without seams: copies of one vertex share theirs."""
    count = int(mesh.sources.max()) + 1
    first = np.zeros((count, 3), np.float32)
    first[mesh.sources] = points
    return normals_of(first, mesh.sources[mesh.triangles])[mesh.sources]


def _tinted(picture: NDArray[np.uint8], hue: float, shade: float, *, opaque: bool) -> NDArray[np.uint8]:
    """Return a BGRA picture with its hue turned (degrees) and its brightness multiplied."""
    colours = np.ascontiguousarray(picture[:, :, :3])
    if hue:
        turned = cv2.cvtColor(colours, cv2.COLOR_BGR2HSV)
        turned[:, :, 0] = ((turned[:, :, 0].astype(np.int32) + round(hue / 2.0)) % 180).astype(np.uint8)
        colours = np.asarray(cv2.cvtColor(turned, cv2.COLOR_HSV2BGR), np.uint8)
    colours = np.asarray(cv2.convertScaleAbs(colours, alpha=shade), np.uint8)
    alpha = np.full(picture.shape[:2], 255, np.uint8) if opaque else picture[:, :, 3]
    return np.dstack([colours, alpha]).astype(np.uint8)
