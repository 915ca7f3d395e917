"""Stories of films, from simulated games of every ruleset, and the film command."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from pathlib import Path

import cv2
import pytest

from companion.cli.main import main
from companion.game.scoring import compare, read_truth
from datasets.films.choreography.choreograph import choreograph
from datasets.films.choreography.layout import make_layout
from datasets.films.choreography.stage import random_manner
from datasets.films.choreography.tabletop import random_habits
from datasets.films.geometry import look_at_table
from datasets.films.production import TABLE_MM
from datasets.films.story import ACTS, Story, find_ending, find_story, story_of
from datasets.films.timeline import Timeline
from datasets.films.truth import event_line, with_verdicts
from engine.ruleset import RULESET_NAMES
from engine.simulation.simulate import play_game

NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")


def on_stage(story: Story, seed: int = 1) -> Timeline:
    rng = random.Random(seed)
    camera = look_at_table(1920, 1080, table=TABLE_MM)
    layout = make_layout(story.players, max(story.down_count, 3), TABLE_MM, camera, rng)
    manners = {player: random_manner(rng, rng.random()) for player in story.players}
    return choreograph(story, layout, manners, random_habits(rng, len(story.players)), rng)


FEW = 12
"""The ends of these stories are found in so many games."""


@pytest.mark.parametrize("rules", ["winnersh", "jokers", "backpacker", "shed", "rulebook"])
def test_a_game_that_is_filmed_for_its_end_has_an_end(rules: str) -> None:
    story = find_ending(rules, NAMES[:2], 3, games=FEW)
    events = [step.event for step in story.steps]
    assert {"out", "game_over"} <= set(events)
    assert {"flip", "take_down"} & set(events)
    assert sum(not step.legal for step in story.steps) == 2


def test_the_same_seed_finds_the_same_end() -> None:
    story = find_ending("jokers", NAMES[:2], 3, games=FEW)
    assert story == find_ending("jokers", NAMES[:2], 3, games=FEW)


def test_a_story_has_everything_that_a_film_should_show() -> None:
    story = find_story("winnersh", NAMES[:3], 2)
    counts = Counter(step.event for step in story.steps)
    assert counts["play"] >= 10
    assert counts["burn"] >= 1
    assert counts["pick_up"] >= 1
    assert counts["show"] >= 1
    assert 1 <= counts["exchange"] <= 2
    illegal = [step for step in story.steps if not step.legal]
    assert len(illegal) == 2
    assert all(step.rules for step in illegal)
    assert sum(step.event in ACTS for step in story.steps) == 24
    assert story == find_story("winnersh", NAMES[:3], 2)
    assert story != find_story("winnersh", NAMES[:3], 3)


def test_a_story_includes_the_events_that_follow_the_last_act() -> None:
    game = play_game("winnersh", NAMES[:2], 5)
    whole, cut = story_of(game), story_of(game, 6)
    assert whole.steps[: len(cut.steps)] == cut.steps
    assert sum(step.event in ACTS for step in cut.steps) == 6
    assert whole.steps[len(cut.steps)].event in ACTS
    assert whole.steps[-1].event == "game_over"


@pytest.mark.parametrize("rules", RULESET_NAMES)
@pytest.mark.parametrize("players", [2, 4])
def test_whole_games_of_every_ruleset_can_be_played(rules: str, players: int) -> None:
    """No card is taken from a place where it does not lie."""
    story = story_of(play_game(rules, NAMES[:players], 11, cheats=3), 150)
    film = on_stage(story)
    told = [action.line["event"] for action in film.actions]
    assert told == ["deal", *(step.event for step in story.steps)]
    for piece in {move.piece for move in film.card_moves}:
        moves = [move for move in film.card_moves if move.piece == piece]
        for before, after in itertools.pairwise(moves):
            assert before.end_s <= after.start_s + 1e-9
            assert before.end == after.start


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_the_truth_takes_only_cards_that_lie_there(rules: str) -> None:
    """According to the lines of the truth, a pick-up or a burn has only cards from the pile."""
    film = on_stage(story_of(play_game(rules, NAMES[:3], 4, cheats=2), 80))
    pile: list[str] = []
    for action in film.actions:
        line = action.line
        cards = line.get("cards", [])
        assert isinstance(cards, list)
        if line["event"] in ("play", "flip"):
            pile += cards
        elif line["event"] in ("pick_up", "burn"):
            assert not Counter(cards) - Counter(pile)
            pile = list((Counter(pile) - Counter(cards)).elements())


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_a_referee_who_sees_public_cards_finds_the_broken_rules(rules: str) -> None:
    for seed in range(3):
        story = story_of(play_game(rules, NAMES[:4], seed, cheats=2), 30)
        lines = with_verdicts([event_line(action) for action in on_stage(story).actions], story)
        illegal = [line for line in lines if line.get("legal") is False]
        assert [line["verdict"] for line in illegal] == ["illegal", "illegal"]
        others = [line.get("verdict", "legal") for line in lines if "legal" not in line]
        assert set(others) <= {"legal", "unproven"}
        if rules in ("winnersh", "backpacker"):  # nobody must play there, so nothing hidden decides
            assert set(others) == {"legal"}


def test_the_command_writes_film_truth_and_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, cards = tmp_path / "game.mp4", tmp_path / "cards.jsonl"
    size = ["--width", "160", "--height", "90", "--fps", "2", "--deck", "drawn", "--surface", "drawn"]
    game = ["--players", "Ann,Bob", "--seed", "3", "--plays", "2", "--illegal", "0", "--cards", str(cards)]
    assert main(["film", str(out), *game, *size]) == 0
    printed = capsys.readouterr()
    assert "game.truth.jsonl" in printed.out
    assert printed.err == ""
    lines = (tmp_path / "game.truth.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["players"] == ["Ann", "Bob"]
    assert [json.loads(line)["t"] for line in cards.read_text().splitlines()]
    facts = read_truth(tmp_path / "game.truth.jsonl")
    assert sum(fact["event"] in ACTS for fact in facts) == 2
    told = [fact | {"t": fact["t_end"]} for fact in facts]
    assert compare(told, facts).to_json()["overall"]["f1"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--players", "9"], "2 to 6 players"),
        (["--players", "Ann,Ann"], "different names"),
        (["--players", "Ann,"], "2 to 6 players"),
        (["--tilt", "80"], "--tilt 80.0: it must be from 0 to 50"),
        (["--width", "321"], "both must be even"),
        (["--rules", "poker"], "poker"),
        (["--option", "no-such"], "no-such"),
        (["--deck", "none-such"], "none-such"),
    ],
)
def test_bad_settings_give_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(["film", str(tmp_path / "x.mp4"), "--players", "2", "--plays", "1", *arguments]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_sample_film_agrees_with_its_truth() -> None:
    assets = Path(__file__).parents[3] / "companion" / "assets"
    film = assets / "sample.mp4"
    assert film.stat().st_size <= 4_000_000
    header = json.loads((assets / "sample.truth.jsonl").read_text().splitlines()[0])
    facts = read_truth(assets / "sample.truth.jsonl")
    events = Counter(fact["event"] for fact in facts)
    assert min(events["burn"], events["pick_up"], events["show"]) >= 1
    assert events["play"] >= 7
    assert sum(fact.get("legal") is False for fact in facts) == 1
    capture = cv2.VideoCapture(str(film))
    readable, frame = capture.read()
    assert readable
    assert frame.shape == (header["height"], header["width"], 3)
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(header["seconds"] * header["fps"], abs=2)
