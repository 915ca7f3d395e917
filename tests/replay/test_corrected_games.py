"""Recorded games with corrections: what players put right stays right for the rest of the game."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from datasets.measuring.films.corrected import correct_game

LOOKS = Path(__file__).parent / "looks"
NAME = "winnersh-2-880006"


def misread(folder: Path, told: str, really: str) -> Path:
    """A recorded game in which a card was misread: its truth has another name for it."""
    log = folder / f"{NAME}.looks"
    shutil.copy(LOOKS / log.name, log)
    truth = (LOOKS / f"{NAME}.truth.jsonl").read_text()
    assert f'"{told}"' in truth
    (folder / f"{NAME}.truth.jsonl").write_text(truth.replace(f'"{told}"', f'"{really}"'))
    return log


def test_a_game_that_was_followed_rightly_needs_no_correction() -> None:
    game = correct_game(LOOKS / f"{NAME}.looks")
    assert (game.errors, game.corrections, game.left, game.false_alarms) == (0, (), 0, (0, 0))


@pytest.mark.parametrize("log", sorted(LOOKS.glob("*.looks")), ids=lambda log: log.stem)
def test_nobody_is_accused_wrongly_and_corrections_leave_no_error(log: Path) -> None:
    game = correct_game(log)
    assert game.false_alarms == (0, 0)
    assert game.left == 0
    assert len(game.corrections) <= game.errors, "no correction makes another one necessary"


def test_a_card_that_was_misread_is_corrected_once_and_picked_up_under_its_name(tmp_path: Path) -> None:
    game = correct_game(misread(tmp_path, "7H", "7S"))
    assert game.errors == 2, "the play and the pick-up"
    assert game.corrections == ("Bob play 7H was Bob play 7S",)
    assert game.left == 0


def test_the_command_counts_the_corrections(tmp_path: Path) -> None:
    log = misread(tmp_path, "7H", "7S")
    command = [sys.executable, "-m", "datasets.measuring.films.corrected"]
    done = subprocess.run([*command, str(log)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "2 errors, 1 corrections, 0 errors left"
    missing = subprocess.run([*command, str(tmp_path / "no.looks")], capture_output=True, text=True)
    assert missing.returncode == 2
    assert len(missing.stderr.splitlines()) == 1
