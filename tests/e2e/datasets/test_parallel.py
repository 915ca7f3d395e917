"""Work in several processes and on a cluster gives the same results in the same order."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from companion.cli.main import main
from companion.parallel import spread
from engine.errors import BadInputError
from engine.ruleset import load_ruleset
from tests.support.polite_film import polite_film

SIMULATE = ("simulate", "--games", "250", "--players", "2", "--policy", "random", "--seed", "4")
"""Games for three pieces of work, the last of them smaller."""
FILM = (
    *("--players", "2", "--seed", "7", "--plays", "1", "--fps", "1", "--width", "160", "--height", "90"),
    *("--deck", "drawn", "--surface", "drawn"),
)
"""A film that is drawn in a moment."""


RARELY_WATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}
"""By default a scheduler and its workers look up to a hundred times a second at what they are doing."""
MEMORY_KEPT = {
    f"distributed.nanny.pre-spawn-environ.MALLOC_{name}_THRESHOLD_": str(1 << 28) for name in ("TRIM", "MMAP")
}
"""By default a worker gives the memory of each picture back to the system, and asks for it anew."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a scheduler with a worker of two threads: joblib works alone where there is but one."""
    pytest.importorskip("joblib")
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set(RARELY_WATCHED | MEMORY_KEPT),
        # Work in two processes is tested with `--jobs`. Here it shall only travel to another one and back.
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as running,
    ):
        yield running.scheduler_address


def test_simulate_counts_the_same_games_in_two_processes_and_on_a_cluster(
    cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for where in ([], ["--jobs", "2"], ["--cluster", cluster]):
        assert main([*SIMULATE, *where]) == 0
        told.append(capsys.readouterr().out.splitlines()[:4])
    assert told[1:] == told[:1] * 2
    assert told[0][3].startswith("Shithead by seat: ")


DRAWN_ALONE = "from models.shared import training_scenes as s; s.deck_names = lambda split: ('drawn',)"
"""Code that limits the decks to the drawn one, because others are fetched from registries."""


def test_training_scenes_are_the_same_on_a_cluster(
    cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client

    from models.shared import training_scenes as render

    with Client(cluster) as workers:
        workers.run(exec, DRAWN_ALONE)
    monkeypatch.setattr(render, "deck_names", lambda split: ("drawn",))
    monkeypatch.setattr(render, "scene_maker", render.scene_maker.__wrapped__)  # with these decks
    here, there = tmp_path / "here", tmp_path / "there"
    render.main([str(here), "--scenes", "3"])
    monkeypatch.setattr(render, "scene_maker", None)  # the workers have their own
    render.main([str(there), "--scenes", "3", "--cluster", cluster])
    files = {path.name: path.read_bytes() for path in here.iterdir()}
    assert len(files) >= 3
    assert {path.name: path.read_bytes() for path in there.iterdir()} == files


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two films, drawn one after the other in this process."""
    folder = tmp_path_factory.mktemp("films")
    assert main(["film", str(folder / "a.mp4"), *FILM, "--films", "2"]) == 0
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_film_draws_the_same_films_on_a_cluster(
    cluster: str, films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHITHEAD_CLUSTER", cluster)
    assert main(["film", str(tmp_path / "a.mp4"), *FILM, "--films", "2"]) == 0
    assert sorted(contents(films)) == ["a-7.mp4", "a-7.truth.jsonl", "a-8.mp4", "a-8.truth.jsonl"]
    assert contents(tmp_path) == contents(films)


def test_films_do_not_depend_on_the_number_of_processes(films: Path, tmp_path: Path) -> None:
    pytest.importorskip("joblib")
    assert main(["film", str(tmp_path / "a.mp4"), *FILM, "--films", "2", "--jobs", "2"]) == 0
    assert contents(tmp_path) == contents(films)
    assert (films / "a-7.mp4").read_bytes() != (films / "a-8.mp4").read_bytes()


def test_several_films_are_the_same_as_films_made_singly(films: Path, tmp_path: Path) -> None:
    assert main(["film", str(tmp_path / "b.mp4"), *FILM]) == 0
    assert (tmp_path / "b.mp4").read_bytes() == (films / "a-7.mp4").read_bytes()


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of two photos: a table with cards, and later with other cards."""
    folder = tmp_path_factory.mktemp("photos")
    for part in ("images", "labels"):
        (folder / "table" / part).mkdir(parents=True)
    film = cv2.VideoCapture(str(polite_film().path))
    for number in range(2):
        film.set(cv2.CAP_PROP_POS_MSEC, 1000.0 + 9000.0 * number)
        small = cv2.resize(film.read()[1], None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
        assert cv2.imwrite(str(folder / "table" / "images" / f"{number}.png"), small)
        (folder / "table" / "labels" / f"{number}.txt").write_text("9S 0.5 0.5 0.1 0.1\nKH 0.2 0.2 0.1 0.1\n")
    film.release()
    return folder


def test_evaluate_counts_the_same_on_a_cluster(
    cluster: str, photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for where in ([], ["--cluster", cluster]):
        assert main(["evaluate", "--photos", str(photos), "--sets", "table", "--json", *where]) == 0
        (row,) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
        told.append({name: row[name] for name in row if name not in ("ms", "load", "machine")})
    assert told[0]["photos"] == 2
    assert told[0]["precision"] is not None, "cards were read"
    assert told[1] == told[0]


def test_bad_input_in_another_process_gives_the_same_line() -> None:
    pytest.importorskip("joblib")
    with pytest.raises(BadInputError, match="whist"):
        list(spread(load_ruleset, ["shed", "whist"], 2))


def test_a_missing_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("distributed").Client
    monkeypatch.setattr("distributed.Client", lambda address, **_: client(address, timeout=0.2))
    with pytest.raises(BadInputError, match=r"tcp://127\.0\.0\.1:1: no Dask scheduler"):
        list(spread(load_ruleset, ["shed"], cluster="tcp://127.0.0.1:1"))


def test_without_joblib_one_process_works_and_more_name_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert list(spread(str.upper, ["a", "b"])) == ["A", "B"]
    with pytest.raises(BadInputError, match="--jobs needs joblib"):
        list(spread(str.upper, ["a", "b"], 2))


BLIND = (
    "from vision.recognition import incremental as i;"
    "i.game_reader = lambda *_: type('Blind', (), {'read': lambda *_, **__: []})()"
)
"""Code that has no network look at these films: cards are points in them, and none would find any."""


def test_measure_scores_films_the_same_on_a_cluster(
    cluster: str,
    films: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from distributed import Client

    from vision.recognition import incremental

    with Client(cluster) as workers:
        workers.run(exec, BLIND)
    monkeypatch.setattr(incremental, "game_reader", incremental.game_reader)  # has it put back
    exec(BLIND)
    told = []
    for name, where in (("here", []), ("there", ["--cluster", cluster])):
        folder = tmp_path / name
        assert main(["measure", str(films), "--folder", str(folder), *where]) == 0
        report = json.loads((folder / "films.json").read_text("utf-8"))
        told.append([(row["film"], row["watch"], row["baseline"]) for row in report["rows"]])
    assert [film for film, _, _ in told[0]] == ["a-7.mp4", "a-8.mp4"]
    assert told[1] == told[0]
