"""Makes a film from start to end: story, table, hands, frames, truth."""

from __future__ import annotations

import contextlib
import functools
import random
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from companion.game.scoring import truth_path
from datasets.art.decks import Deck, load_deck
from datasets.films.choreography.choreograph import choreograph
from datasets.films.choreography.layout import Layout, make_layout
from datasets.films.choreography.liveliness import LivelyGestures, lively_manner, random_liveliness
from datasets.films.choreography.stage import random_manner
from datasets.films.choreography.tabletop import random_habits
from datasets.films.geometry import Camera, look_at_table
from datasets.films.people.acting import PeopleStage, people_gestures, seated
from datasets.films.people.company import company_at, gather
from datasets.films.people.levels import level_of
from datasets.films.people.masks import write_picture
from datasets.films.people.phone import KBPS, PhoneSensor
from datasets.films.people.picture import PeopleRenderer
from datasets.films.rendering.arms import ArmArtist, ArmLook, random_look
from datasets.films.rendering.cards import CardArtist
from datasets.films.rendering.light import LIGHT_SPECS, LIGHTS, make_light
from datasets.films.rendering.objects import ObjectArtist
from datasets.films.rendering.renderer import Renderer
from datasets.films.rendering.sensor import Sensor
from datasets.films.rendering.table import draw_empty_table, load_surface
from datasets.films.rendering.video import FilmWriter
from datasets.films.story import Story
from datasets.films.timeline import Timeline
from datasets.films.truth import TRUTH_VERSION, event_line, resting_cards, with_verdicts, write_lines
from datasets.progress import Progress
from engine.errors import BadInputError
from engine.files.atomic import make_folder
from vision.geometry import CARD_HEIGHT_MM

TABLE_MM = (900.0, 600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """How a story is filmed. The seed decides values that are None or `any`."""

    seed: int
    width: int = 1920
    height: int = 1080
    fps: float = 15.0
    tilt: float | None = None
    light: str = "any"
    deck: str = "any"
    surface: str = "any"
    codec: str = "mp4v"
    crf: int = 21
    noise: float = 1.0
    """Sensor noise relative to that of the light."""
    sway: float = 0.0
    """Motion of the picture in a hand that holds the camera, pixels of a 1080p frame; 0 on a stand."""
    lively: bool = False
    """Whether there are objects on the table, and people drink, hesitate, take cards back and so on."""
    people: int | None = None
    """Level of whole people (`datasets.films.people.levels`); None draws only arms."""


@dataclass(frozen=True)
class Scene:
    """One film, ready to be rendered."""

    story: Story
    shot: Shot
    camera: Camera
    layout: Layout
    timeline: Timeline
    renderer: Renderer
    condition: dict[str, object]
    deck: str
    objects: frozenset[str]
    """Names of the pieces that are no cards."""


def prepare(story: Story, shot: Shot) -> Scene:
    """Return the scene of a film. The same story and shot give the same film.

    Raises:
        BadInputError: the deck, surface or light does not exist, or the deck lacks a card of the story.
    """
    rng = random.Random(f"film {shot.seed}")
    camera, tilt = place_camera(shot, rng)
    layout = make_layout(story.players, max(story.down_count, 3), TABLE_MM, camera, rng)
    messy = rng.random()
    manners = {player: random_manner(rng, messy) for player in story.players}
    habits = random_habits(rng, len(story.players))
    looks = {seat.player: random_look(rng, seat.right_handed) for seat in layout.seats}
    accidents = random.Random(rng.random())
    lively = None
    level = None if shot.people is None else level_of(shot.people)
    if level:
        layout = seated(layout)
        habits = replace(habits, hands_wait=len(story.players) <= 4)
    if shot.lively or level:
        liven = random.Random(f"lively {shot.seed}")
        lively = random_liveliness(layout, camera, liven)
        manners = {player: lively_manner(manner, liven) for player, manner in manners.items()}
    objects = lively.objects if lively else {}
    stage = None
    if level and lively:
        stage = PeopleStage(layout, manners, accidents, level, lively.standing)
        lively = company_at(lively, level)
    gestures = people_gestures(stage) if stage else LivelyGestures
    timeline = choreograph(story, layout, manners, habits, accidents, lively, stage, gestures)
    condition: dict[str, object] = {
        "tilt": round(tilt, 1),
        "sway": shot.sway,
        "hands": True,
        "card_px": round(camera.scale() * CARD_HEIGHT_MM),
        "messy": round(messy, 2),
        "lively": shot.lively,
    }
    if level:
        condition["people"] = level.number
    seen_cards = {move.card for move in timeline.card_moves if move.card} - objects.keys()
    deck = pick_deck(shot.deck, seen_cards)
    artist = functools.partial(ObjectArtist, objects=objects)
    renderer, seen = set_up_picture(shot, camera, deck, looks, timeline, rng, artist, stage, seen_cards)
    return Scene(
        story, shot, camera, layout, timeline, renderer, condition | seen, deck.name, frozenset(objects)
    )


def place_camera(shot: Shot, rng: random.Random) -> tuple[Camera, float]:
    """Return the camera and its tilt in degrees."""
    drawn = rng.uniform(2.0, 14.0)
    tilt = shot.tilt if shot.tilt is not None else drawn
    camera = look_at_table(
        shot.width,
        shot.height,
        table=TABLE_MM,
        tilt=tilt,
        azimuth=rng.uniform(-30.0, 30.0),
        roll=rng.uniform(-2.0, 2.0),
        fill=rng.uniform(0.80, 0.96),
    )
    return camera, tilt


def set_up_picture(
    shot: Shot,
    camera: Camera,
    deck: Deck,
    looks: dict[str, ArmLook],
    timeline: Timeline,
    rng: random.Random,
    artist: Callable[..., CardArtist],
    stage: PeopleStage | None = None,
    seen: Iterable[str] = (),
) -> tuple[Renderer, dict[str, object]]:
    """Return the renderer, and the names of its light and surface.

    With a `stage` of whole people these are drawn; `seen` are the cards that lie on the table at some time.

    Raises:
        BadInputError: there is no such light or surface, or whole people cannot be drawn here.
    """
    drawn = rng.choice(LIGHTS)
    light_name = shot.light if shot.light != "any" else drawn
    if light_name not in LIGHT_SPECS:
        raise BadInputError(f"light {light_name!r}: there are {', '.join(LIGHTS)} and any")
    light = make_light(light_name, camera, TABLE_MM, rng)
    surface = load_surface(shot.surface, rng)
    blur = rng.uniform(0.35, 0.8) * shot.height / 1080.0
    table = draw_empty_table(camera, TABLE_MM, surface, light, rng, blur)
    back = rng.choice(deck.backs)
    cards = artist(deck.faces, back, camera, light, blur)
    sensor = None
    if shot.noise > 0:
        strength = LIGHT_SPECS[light_name].noise * shot.noise
        make = PhoneSensor if stage and stage.level.faults else Sensor
        sensor = make(shot.width, shot.height, strength, timeline.duration_s, shot.seed, shot.sway)
    renderer: Renderer
    if stage:
        people = gather(shot.seed, stage, timeline, camera, light, deck, back, seen)
        renderer = PeopleRenderer(timeline, table, cards, people, camera, light, blur, sensor, stage.objects)
    else:
        arms = {player: ArmArtist(look, camera, light) for player, look in looks.items()}
        renderer = Renderer(timeline, table, cards, arms, sensor)
    return renderer, {"light": light_name, "surface": surface.name}


def pick_deck(name: str, cards: set[str]) -> Deck:
    """Return a deck with these cards. `any` is the photographed one if possible, else the drawn one.

    Raises:
        BadInputError: there is no such deck, or it lacks a card.
    """
    if name == "any":
        with contextlib.suppress(BadInputError):
            return pick_deck("bidly", cards)
        name = "drawn"
    deck = load_deck(name)
    missing = cards - set(deck.faces)
    if missing:
        raise BadInputError(f"deck {name}: it has no {', '.join(sorted(missing))}")
    return deck


def header(scene: Scene, film: str) -> dict[str, object]:
    """Return the first line of the truth of a film."""
    story, shot = scene.story, scene.shot
    return {
        "film": film,
        "truth_version": TRUTH_VERSION,
        "fps": shot.fps,
        "width": shot.width,
        "height": shot.height,
        "rules": story.rules,
        "options": list(story.options),
        "players": list(story.players),
        "dealer": story.dealer,
        "deck": scene.deck,
        "condition": scene.condition,
        "seed": shot.seed,
        "seconds": round(scene.timeline.duration_s, 2),
    }


def make_film(
    story: Story,
    shot: Shot,
    out: Path,
    *,
    cards: Path | None = None,
    masks: Path | None = None,
    progress: Progress | None = None,
) -> Scene:
    """Render a story to `out`, with its truth beside it, and return the scene.

    Args:
        story: What happens.
        shot: How it is filmed.
        out: The film.
        cards: File for the cards at rest.
        masks: Folder for the masks of each frame (`datasets.films.people.masks`), of whole people only.
        progress: Counts seconds of the film.

    Raises:
        BadInputError: the deck, surface or light does not exist, or the film cannot be written.
    """
    for path in filter(None, (out, cards, masks)):
        if not path.parent.is_dir():
            raise BadInputError(f"{path}: there is no folder {path.parent}")
    scene = prepare(story, shot)
    events = true_events(scene, story)
    at_rest: list[dict[str, object]] = []
    masked: list[dict[str, object]] = []
    version = -1
    size, kbps = (shot.width, shot.height), _kbps(shot)
    if masks:
        make_folder(masks)
    with FilmWriter(out, shot.fps, size, "h264" if kbps else shot.codec, shot.crf, kbps) as writer:
        for number, (t, frame) in enumerate(scene.renderer.frames(shot.fps)):
            writer.write(frame)
            if masks and isinstance(scene.renderer, PeopleRenderer):
                found = scene.renderer.masks(t)
                write_picture(found, masks, number)
                masked.append({"frame": number, **found.line})
            if progress:
                progress(t, scene.timeline.duration_s)
            if cards and scene.renderer.resting_version != version and scene.timeline.is_still(t):
                version = scene.renderer.resting_version
                resting = [move for move in scene.renderer.resting() if move.card not in scene.objects]
                at_rest.append({"t": round(t, 3), "cards": resting_cards(resting, scene.camera)})
    write_lines(truth_path(out), [header(scene, out.name), *events])
    if cards:
        write_lines(cards, at_rest)
    if masks:
        write_lines(masks / "masks.jsonl", masked)
    return scene


def _kbps(shot: Shot) -> int | None:
    """Return the bit rate of a film with the faults of a phone, if it can be written at one."""
    faults = shot.people is not None and level_of(shot.people).faults
    return KBPS if faults and shutil.which("ffmpeg") else None


def true_events(scene: Scene, story: Story) -> list[dict[str, object]]:
    """Return the event lines of a scene, with their verdicts."""
    return with_verdicts([event_line(action) for action in scene.timeline.actions], story)
