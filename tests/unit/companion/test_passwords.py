"""The password in a stream's address is kept once, where it is needed, and shown nowhere."""

from __future__ import annotations

import logging
import stat
from dataclasses import replace
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.files import logs
from companion.game.recorder import GameRecorder
from companion.game.setup import GameSetup, source_text, stored_setup
from companion.settings import Settings, load_settings, save_settings, settings_path
from companion.store.store import Store

ADDRESS = "http://me:s3cr3t@127.0.0.1:9/video"


def test_the_settings_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    path.chmod(0o644)
    save_settings(Settings(sources=(ADDRESS,)), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_settings(path).sources == (ADDRESS,)


def test_the_store_has_no_password_and_the_game_goes_on_with_it(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    before = load_settings()
    save_settings(replace(before, sources=(ADDRESS,)))
    try:
        GameRecorder(Store.open(path), GameSetup(ADDRESS, ("Ann", "Bob"), store=path)).begin()
        with Store.open(path) as store:
            (game,) = store.games()
        assert game.source == "http://me:***@127.0.0.1:9/video"
        assert not any(b"s3cr3t" in file.read_bytes() for file in tmp_path.iterdir())
        assert stored_setup(game).source == ADDRESS
        save_settings(before)
        assert stored_setup(game).source == game.source
    finally:
        settings_path().unlink(missing_ok=True)


def test_no_line_shows_a_password(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", ADDRESS, "--headless", "--players", "Ann,Bob"]) == 2
    with pytest.raises(SystemExit):
        main(["watch", "0", ADDRESS])
    assert main(["read", ADDRESS]) == 2
    printed = capsys.readouterr()
    assert "http://me:***@127.0.0.1:9/video" in printed.err
    assert "s3cr3t" not in printed.err + printed.out
    assert "s3cr3t" not in source_text(ADDRESS)


def test_the_log_shows_no_password() -> None:
    logs.begin_logging()
    handler = next(one for one in logging.getLogger().handlers if isinstance(one, RotatingFileHandler))
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "%s is lost", (ADDRESS,), None)
    assert "http://me:***@127.0.0.1:9/video is lost" in handler.format(record)
