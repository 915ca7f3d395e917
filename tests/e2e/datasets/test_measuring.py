"""`shithead measure`: plans, the baseline, sums and tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.cli.main import main
from companion.game.film_keeper import FilmKeeper
from companion.game.scoring import read_lines, truth_path
from companion.store.kept_films import KeptGame, kept_games
from datasets.films.rendering.light import LIGHTS
from datasets.measuring.films.baseline import Baseline
from datasets.measuring.films.measure import measure_films
from datasets.measuring.films.plan import DECKS, TILTS, FilmPlan, plan_films, render
from datasets.measuring.films.summary import report, sums
from datasets.measuring.films.watching import describe_film
from datasets.measuring.results.film_tables import as_markdown
from engine.errors import BadInputError
from tests.support.filmed_game import Game, chequered
from tests.support.small_film import SMALL, film_few_pictures, small_film
from vision.following.replay import read_log
from vision.plane import TablePlane
from vision.table.layout import Layout, Seat
from vision.types import CardReading


class NoReader:
    def read(self, image: Any, crowded: object = None, ignored: object = None) -> list[Any]:
        return []


@pytest.fixture(autouse=True)
def few_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    film_few_pictures(monkeypatch)


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.recognition.incremental.game_reader", lambda *_: NoReader())


# -- plans ---------------------------------------------------------------------------------------------


def test_more_films_do_not_change_the_first_ones() -> None:
    four, eight = plan_films(["winnersh", "shed"], 4), plan_films(["winnersh", "shed"], 8)
    assert eight[:4] == four[:4]
    assert eight[8:12] == four[4:]
    assert len({plan.name for plan in eight}) == 16


def test_each_block_of_four_films_has_every_level_of_every_condition() -> None:
    for block in (plan_films(["jokers"], 8)[:4], plan_films(["jokers"], 8)[4:]):
        assert {plan.players for plan in block} == {2, 3, 4, 5}
        assert {plan.light for plan in block} == set(LIGHTS)
        assert {plan.deck for plan in block} == set(DECKS)
        assert len({next(band for band in TILTS if plan.tilt <= band[1]) for plan in block}) == len(TILTS)
        assert sorted(plan.surface for plan in block) == ["any", "any", "drawn", "drawn"]


def test_one_of_four_films_is_a_whole_game_of_few_players() -> None:
    plans = plan_films(["shed"], 8, endings=True)
    assert [sum(plan.ending for plan in block) for block in (plans[:4], plans[4:])] == [1, 1]
    assert [plan.players for plan in plans if plan.ending] == [2, 3]
    assert all(plan.name.endswith("-ending") == plan.ending for plan in plans)
    assert not any(plan.ending for plan in plan_films(["shed"], 8)), "it was not asked for"


def test_a_film_of_another_size_or_length_has_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (usual,), (small,) = plan_films(["winnersh"], 1), plan_films(["winnersh"], 1, **SMALL)
    assert usual.name == f"winnersh-{usual.players}-5001"
    assert small.name == f"{usual.name}-160x90-1"
    planned: list[FilmPlan] = []

    def measure(plans: Sequence[FilmPlan], *_: Any, **_how: Any) -> dict[str, Any]:
        planned.extend(plans)
        raise BadInputError("no film is rendered here")

    monkeypatch.setattr("datasets.measuring.films.measure.measure_films", measure)
    one = ["measure", "--films", "1", "--rulesets", "winnersh", "--folder", str(tmp_path)]
    for words in (["--no-lively", "--whole"], ["--no-lively", "--sway", "12"], []):
        assert main([*one, *words]) == 2
    names = [plan.name for plan in planned]
    assert names == [f"{usual.name}-whole", f"{usual.name}-sway12", f"{usual.name}-lively"]


def test_the_sway_of_a_film_is_rendered_and_is_in_its_row(tmp_path: Path) -> None:
    (plan,) = plan_films(["winnersh"], 1, sway=12.0, **SMALL)
    render(plan, tmp_path)
    film = plan.film_in(tmp_path)
    assert describe_film(film, read_lines(truth_path(film))[0])["sway"] == 12.0
    held = {**row(1, matched=8), "sway": 12.0}
    rows = [held, row(2, matched=8)]
    text = as_markdown(
        report(rows, made="2026-01-01", machine={"cores": 2, "processor": "P", "program": "a"}, jobs=1)
    )
    assert "| camera held in a hand | 1 |" in text
    assert "| camera on a stand | 1 |" in text


def test_each_machine_is_named_with_its_number_of_films() -> None:
    mine, other = ({"cores": cores, "processor": "P", "program": "a"} for cores in (2, 16))
    rows = [{**row(number, matched=8), "machine": other, "load": 3.0 * number} for number in (1, 2)]
    made = report([*rows, row(3, matched=8)], made="2026-01-01", machine=mine, jobs=2)
    assert (
        "Watched 2 on 16 cores (P), 3 to 6 busy processes; 1 on 2 cores (P), 1 busy process. Program a"
    ) in as_markdown(made)
    alone = as_markdown(report(rows, made="2026-01-01", machine=mine, jobs=2))
    assert "Watched 2 at a time on 16 cores (P), 3 to 6 busy" in alone


def told_row(deck: str) -> dict[str, Any]:
    """Return the row of a film with a deck, complete enough for a line."""
    whole = {**row(1, matched=8), "deck": deck}
    for score in (whole["watch"], whole["baseline"]):
        score["overall"]["f1"] = 1.0
    return whole


def test_films_that_play_like_a_camera_are_kept_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []

    def measured(_film: Path, _folder: Path, program: str, _progress: object, *, live: bool) -> Any:
        asked.append((program, live))
        return told_row("bidly")

    monkeypatch.setattr("datasets.measuring.films.measure.measured", measured)
    for live in (False, True):
        measure_films([], [tmp_path / "film.mp4"], tmp_path, live=live)
    (film, plays_at_once), (camera, plays_in_time) = asked
    assert film != camera
    assert (plays_at_once, plays_in_time) == (False, True)


def test_a_film_that_plays_like_a_camera_needs_the_whole_machine(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["measure", "--live", "--jobs", "2"]) == 2
    assert "--live needs the whole machine" in capsys.readouterr().err


def test_whole_games_are_watched_first_and_reported_in_the_planned_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    plans = plan_films(["winnersh"], 8, endings=True)
    decks = {plan.film_in(tmp_path): plan.deck for plan in plans}

    def measured(film: Path, *_: Any, **_live: bool) -> dict[str, Any]:
        begun.append(film.name)
        return {**told_row(decks[film]), "film": film.name}

    monkeypatch.setattr("datasets.measuring.films.measure.render", lambda *_: True)
    monkeypatch.setattr("datasets.measuring.films.measure.measured", measured)
    made = measure_films(plans, [], tmp_path)
    assert [told["film"] for told in made["rows"]] == [plan.film_in(tmp_path).name for plan in plans]
    assert ["-ending" in name for name in begun] == [True] * 2 + [False] * 6


def test_a_watched_film_is_not_rendered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = small_film(tmp_path)
    plan.film_in(tmp_path).unlink()
    monkeypatch.setattr("datasets.measuring.films.measure.measured", lambda *_, **_live: told_row(plan.deck))
    for there in (True, False):
        monkeypatch.setattr("datasets.measuring.films.measure.was_watched", lambda *_, there=there: there)
        measure_films([plan], [], tmp_path)
        assert plan.film_in(tmp_path).is_file() != there


def test_a_film_that_is_there_is_rendered_again_only_if_its_truth_is_missing(tmp_path: Path) -> None:
    plan = small_film(tmp_path)
    assert not render(plan, tmp_path)
    truth_path(plan.film_in(tmp_path)).unlink()
    assert render(plan, tmp_path)


# -- the baseline --------------------------------------------------------------------------------------


def looked_at(*cards: tuple[str, float]) -> list[CardReading]:
    """Return readings on the pile of `LAYOUT`, with the confidence of their outlines."""
    quad = np.array([[-29, -44], [29, -44], [29, 44], [-29, 44]], np.float32)
    return [CardReading(quad, "up", sure, card, 0.99) for card, sure in cards]


LAYOUT = Layout(
    TablePlane(np.eye(3)),
    100,
    100,
    (Seat("Ann", ((0.0, 200.0),), (0.0, 1.0)), Seat("Bob", ((0.0, -200.0),), (0.0, -1.0))),
    play=(0.0, 0.0),
)


def test_the_baseline_reports_a_new_top_card_as_a_play_of_the_player_to_move() -> None:
    baseline = Baseline("winnersh", ("Ann", "Bob"), starter="Bob", dealer="Ann")
    baseline.look(1.0, looked_at(("4S", 0.9)), LAYOUT, still=True)
    baseline.look(2.0, looked_at(("4S", 0.9)), LAYOUT, still=True)
    baseline.look(3.0, looked_at(("4S", 0.6), ("9H", 0.9)), LAYOUT, still=True)
    baseline.look(4.0, looked_at(("4S", 0.9), ("9H", 0.6)), LAYOUT, still=True)
    told = [(line["event"], line["player"], line["cards"]) for line in baseline.lines]
    assert told == [("play", "Bob", ["4S"]), ("play", "Ann", ["9H"])]


@pytest.mark.parametrize(("top", "event"), [("9H", "pick_up"), ("10H", "burn")])
def test_the_baseline_reports_a_vanished_pile(top: str, event: str) -> None:
    baseline = Baseline("winnersh", ("Ann", "Bob"), starter="Bob", dealer="Ann")
    baseline.look(1.0, looked_at((top, 0.9)), LAYOUT, still=True)
    baseline.look(2.0, [], LAYOUT, still=False)
    assert len(baseline.lines) == 1
    baseline.look(3.0, [], LAYOUT, still=True)
    assert baseline.lines[-1]["event"] == event
    assert baseline.lines[-1]["cards"] == [top]


# -- sums and tables -----------------------------------------------------------------------------------


def side(matched: int, *, corrections: int = 0, found: int = 0, delays: tuple[float, ...] = ()) -> Any:
    counts = {"true": 10, "reported": 8, "matched": matched}
    return {
        "events": {"play": counts},
        "overall": counts,
        "players": {"judged": 8, "right": matched},
        "rulings": {"judged": 8, "right": 8, "unproven": 0},
        "illegal": {"true": 2, "found": found, "false_alarms": 1},
        "corrections": corrections,
        "asked": 0,
        "delays_s": list(delays),
        "computed_s": list(delays),
    }


def row(number: int, **watch: Any) -> dict[str, Any]:
    return {
        "film": f"{number}.mp4",
        "rules": "winnersh" if number % 2 else "shed",
        "players": ["Ann", "Bob"],
        "light": "dim",
        "tilt": 5.0 * number,
        "surface": "drawn",
        "deck_held_out": True,
        "seconds": 100.0,
        "wall_s": 40.0,
        "cpu_s": 50.0,
        "load": 1.0,
        "watch": side(**watch),
        "baseline": side(2, corrections=9),
    }


def test_sums_count_events_and_not_films() -> None:
    rows = [row(1, matched=8, found=2, delays=(0.2, 0.4)), row(2, matched=4, corrections=6, delays=(0.6,))]
    ours, plain = sums(rows, "watch"), sums(rows, "baseline")
    assert (ours["precision"], ours["recall"]) == (0.75, 0.6)
    assert ours["f1"] == pytest.approx(24 / 36, abs=1e-4)
    assert ours["player_right"] == 0.75
    assert (ours["illegal_found"], ours["false_alarms_per_game"]) == (0.5, 1.0)
    assert (ours["games_right"], ours["corrections_per_game"]) == (0.5, 3.0)
    assert (ours["delay_median_s"], ours["speed"], ours["processor_speed"]) == (0.4, 2.5, 2.0)
    assert (plain["f1"], plain["illegal_found"], plain["games_right"]) == (
        pytest.approx(8 / 36, abs=1e-4),
        0,
        0,
    )
    assert "speed" not in plain


def test_the_table_shows_both_sides_and_each_condition() -> None:
    rows = [row(1, matched=8), row(2, matched=4), row(3, matched=8)]
    made = report(rows, made="2026-01-01", machine={"cores": 2, "processor": "P", "program": "abc"}, jobs=1)
    assert json.loads(json.dumps(made)) == made
    text = as_markdown(made)
    assert "| F1 of all events | 0.741 | 0.222 | at least 0.98 |" in text
    assert "| play | 30 | 0.741 |" in text
    for level in ("winnersh | 2", "shed | 1", "tilt up to 10° | 2", "tilt up to 20° | 1", "light: dim | 3"):
        assert f"| {level} |" in text


# -- real games ----------------------------------------------------------------------------------------


def kept_game(folder: Path, **line: Any) -> KeptGame:
    """A film of a few pictures, and a log with one draw."""
    game, keeper = Game(), FilmKeeper(folder, print)
    keeper.enabled = True
    game.deal()
    for number in range(30):
        keeper.add(chequered(), number / 15, live=False)
        keeper.follow(game, game)
    game.lines.append({"id": 1, "event": "draw", "player": "Ann", "count": 1, "t": 1.0, **line})
    keeper.close()
    (kept,) = kept_games(folder)
    return kept


@pytest.mark.parametrize("inside", [False, True])
def test_kept_games_are_measured_against_their_corrected_log(
    tmp_path: Path, blind: None, inside: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = kept_game(tmp_path / "films")
    given = kept.folder if inside else tmp_path / "films"
    assert main(["measure", str(given), "--folder", str(tmp_path / "out")]) == 0
    (told,) = json.loads((tmp_path / "out" / "films.json").read_text("utf-8"))["rows"]
    assert (told["film"], told["real"], told["confirmed"]) == (kept.film.name, True, False)
    assert told["watch"]["overall"]["true"] == 1
    said = capsys.readouterr()
    assert "| real people: not all confirmed | 1 |" in said.out
    assert "1 of its events are not confirmed; it is measured as it is" in said.err


def test_a_wholly_labelled_game_is_measured_without_a_remark(
    tmp_path: Path, blind: None, capsys: pytest.CaptureFixture[str]
) -> None:
    kept_game(tmp_path / "films", settled=True)
    assert main(["measure", str(tmp_path / "films"), "--folder", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "| real people: all confirmed | 1 |" in said.out
    assert "confirmed;" not in said.err


# -- the command ---------------------------------------------------------------------------------------


def test_the_command_renders_watches_and_writes_the_table(
    tmp_path: Path, blind: None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["measure", "--films", "1", "--rulesets", "winnersh", "--plays", "1", "--size", "160x90"]
    assert main([*words, "--folder", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "films.json").read_text("utf-8"))
    assert (told["films"], told["overall"]["watch"]["reported"]) == (1, 0)
    assert told["overall"]["watch"]["true"] >= 3
    words[1:] = ["--films", "1", "--rulesets", "winnersh", "--plays", "1", "--size", "160x90"]
    assert told["command"] == "shithead " + " ".join(words)
    assert capsys.readouterr().out == (tmp_path / "films.md").read_text("utf-8")
    (log,) = (tmp_path / "watched").glob("*.looks")
    assert read_log(log).calls == ()
    (film,) = tmp_path.glob("*.mp4")
    before = film.stat().st_mtime_ns, sorted((tmp_path / "watched").iterdir())
    assert main(["measure", str(tmp_path), "--folder", str(tmp_path)]) == 0
    assert (film.stat().st_mtime_ns, sorted((tmp_path / "watched").iterdir())) == before


def test_an_unavailable_deck_is_named_beside_its_film(
    tmp_path: Path, blind: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none_here(name: str, cards: set[str]) -> None:
        raise BadInputError(f"deck {name}: rsvg-convert is missing")

    monkeypatch.setattr("datasets.measuring.films.plan.pick_deck", none_here)
    words = ["measure", "--films", "1", "--rulesets", "winnersh", "--plays", "1", "--size", "160x90"]
    assert main([*words, "--folder", str(tmp_path)]) == 0
    (told,) = (line for line in capsys.readouterr().err.splitlines() if "1 of 1" in line)
    assert "; filmed with the deck drawn, because " in told
    assert told.endswith(" is not available")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["missing.mp4"], "missing.mp4: no film with its truth"),
        (["--films", "0"], "--films 0"),
        (["--size", "big"], "--size big"),
        (["--sway", "-1"], "--sway -1"),
        (["--size", "641x360"], "must be even"),
        (["--rulesets", "whist"], "whist"),
        (["--jobs", "0"], "--jobs 0"),
    ],
)
def test_bad_input_gives_one_line(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", *words, "--folder", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()
