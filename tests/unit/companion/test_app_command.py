"""`shithead app`: which source and game it takes, and what it does without a display."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.app.window import NoDisplayError, prepare_kivy
from companion.cli import app, watch
from companion.cli import main as cli
from companion.game.history import find_resumable_game
from companion.game.next_game import next_game_setup
from companion.sources import cameras
from companion.sources.cameras import DEFAULT_PLAYERS, SampleFilm
from companion.store.store import Store
from engine.errors import BadInputError


def parsed(*arguments: str) -> argparse.Namespace:
    return cli.build_parser().parse_args(["app", *arguments])


def test_a_named_source_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "find_camera", lambda: pytest.fail("no camera was asked for"))
    arguments = ("--players", "Eve, Ute,", "--rules", "shed", "--option", "suit-values")
    game, settled = app.choose_setup(parsed("a.mp4", *arguments))
    assert settled
    assert (game.source, game.rules, game.players) == ("a.mp4", "shed", ("Eve", "Ute"))
    assert game.options == ("suit-values",)
    assert game.kept


def test_a_camera_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cameras, "find_camera", lambda: 2)
    game, settled = app.choose_setup(parsed())
    assert not settled
    assert (game.source, game.rules, game.players) == ("2", "winnersh", DEFAULT_PLAYERS)


def test_without_a_camera_the_sample_film_brings_its_own_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = SampleFilm(Path("sample.mp4"), "jokers", ("q-reverse",), ("A", "B"), "B")
    monkeypatch.setattr(cameras, "find_camera", lambda: None)
    monkeypatch.setattr(cameras, "sample_film", lambda: sample)
    game, settled = app.choose_setup(parsed())
    assert settled
    assert (game.source, game.rules, game.options) == ("sample.mp4", "jokers", ("q-reverse",))
    assert (game.players, game.dealer) == (("A", "B"), "B")
    assert not game.kept  # nobody's losses go into the evening
    assert game.demonstration
    assert "no camera found" in capsys.readouterr().err


@pytest.mark.parametrize("camera", [None, 2])
def test_named_players_open_the_form_with_their_rules_and_options(
    camera: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cameras, "find_camera", lambda: camera)
    arguments = ("--players", "Xavier,Yann", "--rules", "SHED", "--option", "suit-values")
    game, settled = app.choose_setup(parsed(*arguments))
    assert not settled, "the form is shown"
    assert (game.source, game.kept) == (None if camera is None else "2", True)
    assert (game.players, game.rules, game.options) == (("Xavier", "Yann"), "shed", ("suit-values",))


def test_rules_and_options_are_kept_through_the_sample_film_for_the_own_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample = SampleFilm(Path("sample.mp4"), "jokers", ("q-reverse",), ("A", "B"), "B")
    monkeypatch.setattr(cameras, "find_camera", lambda: None)
    monkeypatch.setattr(cameras, "sample_film", lambda: sample)
    film, _settled = app.choose_setup(parsed("--rules", "shed", "--option", "suit-values"))
    assert film.demonstration
    assert (film.rules, film.options) == ("jokers", ("q-reverse",)), "the film is judged by its own rules"
    own = next_game_setup(film)
    assert (own.rules, own.options, own.source) == ("shed", ("suit-values",), None)
    assert (own.kept, own.demonstration) == (True, False)


@pytest.mark.parametrize(("dealer", "settled"), [("Eve", True), ("Zed", False), (None, True)])
def test_a_dealer_who_is_not_seated_is_asked_for_in_the_form(dealer: str | None, settled: bool) -> None:
    named = ("--dealer", dealer) if dealer else ()
    game, at_once = app.choose_setup(parsed("a.mp4", "--players", "Eve,Ute", *named))
    assert (at_once, game.dealer) == (settled, dealer)


def test_the_http_of_an_address_may_be_left_out() -> None:
    game, _settled = app.choose_setup(parsed("192.168.1.20:8080/video", "--players", "Eve,Ute"))
    assert game.source == "http://192.168.1.20:8080/video"
    assert not game.is_film


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a game with one play into a store, on a machine that has no camera."""
    monkeypatch.setattr(cameras, "find_camera", lambda: None)

    def write(source: str | None = None, loser: str | None = None, hours_ago: float = 0.1) -> Path:
        path = tmp_path / "s.sqlite"
        with Store.open(path, clock=lambda: time.time() - 3600 * hours_ago) as store:
            store.start_game(
                "backpacker", ("Eva", "Max"), options=("computer-start",), dealer="Max", source=source
            )
            store.append({"id": 1, "event": "play", "player": "Eva", "cards": ["4C"], "t": 1.0})
            if loser is not None:
                store.finish(loser)
        return path

    return write


@pytest.mark.parametrize(
    ("source", "offered"),
    [(None, None), ("0", None), ("http://phone:8080/video", "http://phone:8080/video")],
)
def test_without_a_camera_a_game_that_was_broken_off_is_offered_and_no_film_is_shown(
    played: Callable[..., Path],
    source: str | None,
    offered: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, opened = played(source), []
    monkeypatch.setattr("companion.app.window.prepare_kivy", lambda: None)
    monkeypatch.setattr("companion.app.window.run_window", lambda setup, **how: opened.append((setup, how)))
    assert cli.main(["app", "--store", str(path)]) == 0
    ((game, how),) = opened
    assert (how["ask"], how["store"], game.store) == (True, path, path)
    assert (game.kept, game.demonstration, game.resume) == (True, False, None), "the form asks"
    assert (game.source, game.players, game.dealer) == (offered, ("Eva", "Max"), "Max")
    assert (game.rules, game.options) == ("backpacker", ("computer-start",))
    assert "no camera found; going on with the evening" in capsys.readouterr().err


def test_without_a_camera_an_evening_goes_on_with_its_next_game(played: Callable[..., Path]) -> None:
    game, settled = app.choose_setup(parsed("--store", str(played("film.mp4", loser="Eva"))))
    assert not settled
    assert (game.source, game.kept, game.demonstration) == (None, True, False)
    assert (game.players, game.dealer) == (("Eva", "Max"), "Eva"), "who lost deals"
    arguments = ("--players", "Ute,Eve", "--rules", "shed")
    game, settled = app.choose_setup(parsed("--store", str(played()), *arguments))
    assert (settled, game.rules, game.options) == (False, "shed", ())
    assert (game.players, game.dealer) == (("Ute", "Eve"), None)


def test_an_evening_of_long_ago_does_not_keep_the_film_from_being_shown(played: Callable[..., Path]) -> None:
    path = played(hours_ago=72)
    assert app.choose_setup(parsed("--store", str(path)))[0].demonstration


def test_a_damaged_store_is_left_to_the_form_which_says_so(played: Callable[..., Path]) -> None:
    """What opens a damaged store sets it aside, and that is said once: where people read it."""
    path = played(hours_ago=72)
    data = path.read_bytes()
    path.write_bytes(data[:40] + random.Random(1).randbytes(3000) + data[3040:])
    damaged = path.read_bytes()
    game, settled = app.choose_setup(parsed("--store", str(path)))
    assert (game.demonstration, game.source, settled) == (False, None, False)
    assert path.read_bytes() == damaged
    assert "damaged" in str(find_resumable_game(path)[1]), "what the form asks"


def test_without_a_display_the_film_is_shown_though_a_game_was_broken_off(
    handed_over: list[argparse.Namespace], played: Callable[..., Path]
) -> None:
    """A game by touch wants a window, and nobody could be asked."""
    assert cli.main(["app", "--store", str(played())]) == 0
    (args,) = handed_over
    assert (Path(args.source).name, args.resume) == ("sample.mp4", False)


@pytest.mark.parametrize("size", ["1280", "1280x", "100x100", "axb"])
def test_a_window_size_that_is_none_is_refused(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        parsed("--size", size)
    assert error.value.code == 2
    assert "is not WxH" in capsys.readouterr().err


def test_a_deck_that_is_not_enrolled_is_refused_before_a_window_opens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("companion.app.window.prepare_kivy", lambda: pytest.fail("a window was opened"))
    assert cli.main(["app", "0", "--deck", "pbu"]) == 2
    assert capsys.readouterr().err == "shithead app: deck pbu: not enrolled (enrolled: none)\n"


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "ANDROID_ARGUMENT"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_display")
def test_no_display_is_noticed_before_kivy_is_imported() -> None:
    with pytest.raises(NoDisplayError, match="no display here"):
        prepare_kivy()


@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize(
    ("name", "value"),
    [("DISPLAY", ":4711"), ("DISPLAY", "localhost:59000"), ("WAYLAND_DISPLAY", "no-such-socket")],
)
def test_a_display_that_does_not_answer_is_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(NoDisplayError, match=f"does not answer .*{value}"):
        prepare_kivy()


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch, no_display: None) -> list[argparse.Namespace]:
    """What `shithead watch` is asked for where there is no display."""
    asked: list[argparse.Namespace] = []

    def run(args: argparse.Namespace) -> int:
        asked.append(args)
        return 0

    monkeypatch.setattr(watch, "run", run)
    return asked


@pytest.mark.parametrize("source", ["a.mp4", "0", "http://phone:8080/video"])
def test_without_a_display_the_same_runs_on_the_terminal(
    handed_over: list[argparse.Namespace],
    source: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It says so in one line and hands the whole game over to `shithead watch`, which keeps no picture."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["app", source, "--players", "Eve,Ute", "--dealer", "Ute", "--option", "x"]) == 0
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "no display here" in error
    assert "annotated" not in error
    (args,) = handed_over
    assert (args.source, args.players, args.dealer, args.headless) == (source, "Eve,Ute", "Ute", True)
    assert args.events is None  # in words, for people
    assert (args.save, args.option) == (None, ["x"])
    assert (args.store, args.resume) == (Path(), False), "the game is kept as in the window"
    assert list(tmp_path.iterdir()) == []


def test_without_a_display_a_broken_off_game_goes_on_in_the_store_that_was_named(
    handed_over: list[argparse.Namespace], tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.start_game("shed", ("Ann", "Bob"), source="a.mp4")
        store.append({"id": 1, "event": "play", "player": "Ann", "cards": ["4C"], "t": 1.0})
    assert cli.main(["app", "--resume", "--store", str(path)]) == 0
    (args,) = handed_over
    assert (args.source, args.store, args.resume) == ("a.mp4", path, True)


@pytest.fixture
def no_camera(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the app is opened there is no camera, but a sample film."""
    monkeypatch.setattr(cameras, "find_camera", lambda: None)
    monkeypatch.setattr(cameras, "sample_film", lambda: SampleFilm(Path("sample.mp4")))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("no_camera")
def test_without_a_display_the_sample_film_is_shown_as_an_annotated_film(
    handed_over: list[argparse.Namespace],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["app"]) == 0
    (args,) = handed_over
    assert (args.source, Path(args.save)) == ("sample.mp4", app.ANNOTATED)
    assert args.store is None, "a demonstration is nobody's evening"
    assert str(app.ANNOTATED) in capsys.readouterr().err


@pytest.mark.usefixtures("no_camera")
@pytest.mark.parametrize("taken", ["out/annotated.mp4", "out"])
def test_without_a_display_no_file_that_is_there_is_replaced_by_the_sample_film(
    handed_over: list[argparse.Namespace],
    taken: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It was not asked for; where there is no place for it, the game is shown all the same."""
    Path(taken).parent.mkdir(exist_ok=True)
    Path(taken).write_text("mine")
    assert cli.main(["app"]) == 0
    (args,) = handed_over
    assert args.save is None
    assert Path(taken).read_text() == "mine"
    said = capsys.readouterr().err
    assert "annotated.mp4 was not changed" in said or "no annotated film is written" in said
    assert "goes to" not in said


def test_the_sample_film_tells_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    with pytest.raises(BadInputError, match="sample film is missing"):
        cameras.sample_film()
    (assets / "sample.mp4").write_bytes(b"film")
    assert cameras.sample_film() == SampleFilm(assets / "sample.mp4")
    header = {"rules": "shed", "players": ["A", "B", "C"], "dealer": "C", "options": ["o"]}
    (assets / "sample.truth.jsonl").write_text(json.dumps(header) + "\n{}\n", encoding="utf-8")
    found = cameras.sample_film()
    assert (found.rules, found.players, found.dealer, found.options) == ("shed", ("A", "B", "C"), "C", ("o",))
    (assets / "sample.truth.jsonl").write_text("[1]", encoding="utf-8")
    with pytest.raises(BadInputError, match="not the header of a truth file"):
        cameras.sample_film()
