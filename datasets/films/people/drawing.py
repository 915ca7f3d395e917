"""Draws people and the cards in their hands with a software renderer (OpenGL over EGL)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.films.geometry import Camera
from datasets.films.people.figures import Figure
from engine.errors import BadInputError

Floats = NDArray[np.float32]
NEED = (
    "people are drawn with moderngl: pip install -e '.[films]';"
    " on Debian also apt install libegl1 libgl1-mesa-dri"
)
SHADOW_MM = 2.5
"""Side of one cell of the map of shadows."""
SHADOW_HALF = (1000.0, 850.0)
_NEAR, _FAR = 120.0, 6000.0
_SHADERS = Path(__file__).with_name("shaders")


@dataclass(frozen=True, eq=False)
class CardInAir:
    """A card that is not drawn on the table: its four corners and the side that is up."""

    number: int
    """Number of the piece, for masks."""
    face: str | None
    """Name of the card; None if the side with `corners` clockwise is its back."""
    corners: NDArray[np.float64]
    """4 x 3 mm, clockwise from the top left of the card as seen on the side of the face."""


@dataclass(frozen=True, eq=False)
class Shot3d:
    """The light as a drawing needs it."""

    slide: tuple[float, float]
    """Shift of a shadow, mm per mm of height."""
    darkness: float
    """Darkness of a shadow, 0 to 1."""


def open_renderer() -> tuple[Any, Any]:
    """Return moderngl and a new context of it, without a screen.

    Raises:
        BadInputError: moderngl or the system's software renderer is missing.
    """
    try:
        import moderngl
    except ImportError as error:
        raise BadInputError(NEED) from error
    library: Any = moderngl
    try:
        return library, library.create_context(standalone=True, backend="egl", require=330)
    except Exception as error:  # the library raises plain exceptions
        raise BadInputError(f"{NEED} ({error})") from error


class Studio:
    """A drawing surface of one size, with the people, cards and light of one film."""

    def __init__(
        self,
        camera: Camera,
        light: Shot3d,
        table: tuple[float, float],
        figures: Mapping[str, Figure],
        faces: Mapping[str, NDArray[np.uint8]],
        back: NDArray[np.uint8],
    ) -> None:
        """Upload meshes and pictures.

        Raises:
            BadInputError: moderngl or the system's software renderer is missing.
        """
        library, gl = open_renderer()
        self._gl = gl
        self._moderngl: Any = library
        self._camera, self._light, self._table = camera, light, table
        self._size = (camera.width, camera.height)
        self._draw: Any = gl.program(**_shaders("scene", "scene"))
        self._number: Any = gl.program(**_shaders("scene", "numbers"))
        self._cast: Any = gl.program(**_shaders("shadow", "shadow"))
        cells = tuple(round(2.0 * half / SHADOW_MM) for half in SHADOW_HALF)
        self._heights = gl.texture(cells, 1, dtype="f4")
        self._heights.filter = (library.NEAREST, library.NEAREST)
        self._heights.repeat_x = self._heights.repeat_y = False
        self._shadow_target = gl.framebuffer([self._heights], gl.depth_renderbuffer(cells))
        self._target = gl.framebuffer([gl.renderbuffer(self._size, 4)], gl.depth_renderbuffer(self._size))
        self._matrix = projection(camera)
        self._eye = eye_of(camera)
        slide = light.slide
        lamp = (-slide[0] * 900.0, -slide[1] * 900.0, 900.0)
        for program in (self._draw, self._cast):
            program["slide"].value = slide
            program["half_mm"].value = SHADOW_HALF
        self._draw["lamp"].value = lamp
        self._draw["eye"].value = tuple(float(v) for v in self._eye)
        self._draw["darkness"].value = light.darkness
        self._draw["heights"].value = 1
        for program in (self._draw, self._number):
            program["camera"].write(np.ascontiguousarray(self._matrix.T, np.float32).tobytes())
            program["picture"].value = 0
        self._parts = {
            name: [self._upload(part) for part in figure.parts] for name, figure in figures.items()
        }
        self._faces = {name: self._texture(picture) for name, picture in faces.items()}
        self._back = self._texture(back)
        self._paper = self._texture(np.full((4, 4, 4), 255, np.uint8))
        self._quad = gl.buffer(reserve=6 * 9 * 4)
        self._quads = {p: self._vao(p, self._quad, None) for p in (self._draw, self._number, self._cast)}

    def close(self) -> None:
        """Give the drawing surface back."""
        self._gl.release()

    def _texture(self, picture: NDArray[np.uint8]) -> Any:
        rgba = cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_BGRA2RGBA)
        texture = self._gl.texture(rgba.shape[1::-1], 4, np.ascontiguousarray(rgba).tobytes())
        texture.build_mipmaps()
        texture.filter = (self._moderngl.LINEAR_MIPMAP_LINEAR, self._moderngl.LINEAR)
        return texture

    def _vao(self, program: Any, points: Any, index: Any) -> Any:
        names = ("place", "normal", "uv", "part")
        sizes = ("3f", "3f", "2f", "1f")
        used = [
            (n, s) if n in program else (None, f"{int(s[0]) * 4}x") for n, s in zip(names, sizes, strict=True)
        ]
        layout = " ".join(size for _, size in used)
        return self._gl.vertex_array(
            program, [(points, layout, *(n for n, _ in used if n))], index_buffer=index, skip_errors=True
        )

    def _upload(self, part: Any) -> dict[str, Any]:
        count = len(part.uvs)
        whole = np.zeros((count, 9), np.float32)
        whole[:, 6:8] = part.uvs
        whole[:, 8] = np.where(part.hands, 1.0, 0.0)
        points = self._gl.buffer(whole.tobytes(), dynamic=True)
        index = self._gl.buffer(np.ascontiguousarray(part.triangles, np.int32).tobytes())
        return {
            "part": part,
            "array": whole,
            "points": points,
            "texture": self._texture(part.texture),
            "vaos": {p: self._vao(p, points, index) for p in (self._draw, self._number, self._cast)},
            "solid": 0.0 if part.name == "hair" else 1.0,
            "gloss": {"body": 0.10, "hair": 0.10, "eyes": 0.2}.get(part.name, 0.015),
        }

    def place(self, name: str, meshes: Sequence[tuple[Floats, Floats]]) -> None:
        """Put the points and normals of a person's parts (mm, table) where they are now."""
        for held, (points, normals) in zip(self._parts[name], meshes, strict=True):
            held["array"][:, 0:3] = points
            held["array"][:, 3:6] = normals
            held["points"].write(held["array"].tobytes())

    def shadows(self, cards: Sequence[CardInAir]) -> Floats:
        """Return the map of shadows: the height (mm) of what shades each cell of the table, 0 for none.

        The map is 2 x `SHADOW_HALF` mm large, with `SHADOW_MM` for each cell, from the top left.
        """
        gl = self._gl
        self._shadow_target.use()
        self._shadow_target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        gl.enable_only(self._moderngl.DEPTH_TEST)
        for parts in self._parts.values():
            for held in parts:
                held["vaos"][self._cast].render()
        for card in cards:
            self._write_quad(card.corners, 0.0)
            self._quads[self._cast].render(vertices=6)
        width, height = self._heights.size
        raw = np.frombuffer(self._shadow_target.read(components=1, dtype="f4"), np.float32)
        return raw.reshape(height, width)

    def draw(self, cards: Sequence[CardInAir], sample: tuple[int, int]) -> NDArray[np.uint8]:
        """Return people and cards, h x w x 4, BGRA, premultiplied, without the gain of the light.

        The map of shadows is the latest. `sample` (number, of how many) draws one of several pictures whose
        mean is wanted: each shows another point of a pixel.
        """
        gl = self._gl
        self._target.use()
        self._target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        self._aim(sample)
        gl.enable_only(self._moderngl.DEPTH_TEST)
        self._table_depth(self._draw)
        self._heights.use(1)
        for parts in self._parts.values():
            for held in parts:
                held["texture"].use(0)
                self._draw["solid"].value = held["solid"]
                self._draw["gloss"].value = held["gloss"]
                held["vaos"][self._draw].render()
        self._draw["gloss"].value = 0.03
        self._draw["solid"].value = 0.0
        for card in cards:
            self._card(card, self._draw)
        return self._picture()

    def _aim(self, sample: tuple[int, int]) -> None:
        """Move the picture by a part of a pixel."""
        number, count = sample
        right, down = (number + 0.5) / count - 0.5, (number * 0.618 + 0.25) % 1.0 - 0.5
        shift = np.eye(4)
        shift[0, 3], shift[1, 3] = 2.0 * right / self._size[0], 2.0 * down / self._size[1]
        matrix = shift @ self._matrix
        self._draw["camera"].write(np.ascontiguousarray(matrix.T, np.float32).tobytes())

    def numbers(self, people: Mapping[str, int], cards: Sequence[CardInAir]) -> NDArray[np.uint8]:
        """Return what is where, h x w x 2, as `masks_of` takes it: number, and kind from 1; 0 is nothing."""
        self._target.use()
        self._target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        self._gl.enable_only(self._moderngl.DEPTH_TEST)
        self._table_depth(self._number)
        for name, parts in self._parts.items():
            self._number["number"].value = float(people[name])
            for held in parts:
                held["texture"].use(0)
                self._number["solid"].value = held["solid"]
                held["vaos"][self._number].render()
        self._number["solid"].value = 0.0
        for place, card in enumerate(cards, start=1):
            self._number["number"].value = float(place)
            self._card(card, self._number, kind=2.0)
        raw = np.frombuffer(self._target.read(components=4), np.uint8).reshape(
            self._size[1], self._size[0], 4
        )
        return np.ascontiguousarray(raw[:, :, :2])

    def _picture(self) -> NDArray[np.uint8]:
        raw = np.frombuffer(self._target.read(components=4), np.uint8)
        return np.asarray(
            cv2.cvtColor(raw.reshape(self._size[1], self._size[0], 4), cv2.COLOR_RGBA2BGRA), np.uint8
        )

    def _table_depth(self, program: Any) -> None:
        """Write only the depth of the table top, which hides what is below."""
        half_x, half_y = self._table[0] / 2.0, self._table[1] / 2.0
        corners = np.array(
            [[-half_x, -half_y, 0.0], [half_x, -half_y, 0.0], [half_x, half_y, 0.0], [-half_x, half_y, 0.0]],
            np.float32,
        )
        self._write_quad(corners, 0.0)
        self._paper.use(0)
        program["solid"].value = 1.0
        target = self._gl.fbo
        for shown in (False, True):
            target.color_mask = (shown,) * 4
            target.use()
            if not shown:
                self._quads[program].render(vertices=6)

    def _card(self, card: CardInAir, program: Any, kind: float = 0.0) -> None:
        a, b, _, d = card.corners.astype(np.float64)
        seen_front = float(np.cross(b - a, d - a) @ (self._eye - a)) > 0.0
        texture = self._faces.get(card.face or "", self._back) if seen_front else self._back
        self._write_quad(card.corners, kind, mirrored=not seen_front)
        texture.use(0)
        self._quads[program].render(vertices=6)

    def _write_quad(self, corners: NDArray[Any], kind: float, *, mirrored: bool = False) -> None:
        uvs = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        if mirrored:
            uvs = [(1.0 - u, v) for u, v in uvs]
        a, b, d = corners[0], corners[1], corners[3]
        normal = np.cross(b - a, d - a)
        normal = normal / max(float(np.linalg.norm(normal)), 1e-6)
        rows = [(*corners[k], *normal, *uvs[k], kind) for k in (0, 1, 2, 0, 2, 3)]
        self._quad.write(np.array(rows, np.float32).tobytes())


def _shaders(vertex: str, fragment: str) -> dict[str, str]:
    """Return the program of a drawing, in the language of the graphics library."""
    return {
        "vertex_shader": (_SHADERS / f"{vertex}.vert").read_text(encoding="utf-8"),
        "fragment_shader": (_SHADERS / f"{fragment}.frag").read_text(encoding="utf-8"),
    }


def projection(camera: Camera) -> NDArray[np.float64]:
    """Return the 4 x 4 matrix from the table (x, y, z, 1) to clip coordinates, top row first."""
    m = camera.matrix
    x = 2.0 * m[0] / camera.width - m[2]
    y = 2.0 * m[1] / camera.height - m[2]
    a, b = (_FAR + _NEAR) / (_FAR - _NEAR), -2.0 * _FAR * _NEAR / (_FAR - _NEAR)
    z = a * m[2]
    z = z + np.array([0.0, 0.0, 0.0, b])
    return np.stack([x, y, z, m[2]])


def eye_of(camera: Camera) -> NDArray[np.float64]:
    """Return the place of the camera over the table, mm."""
    return np.asarray(-np.linalg.solve(camera.matrix[:, :3], camera.matrix[:, 3]))
