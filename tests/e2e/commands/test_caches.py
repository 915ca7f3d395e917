"""What libraries keep, they keep in the program's own folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.files.caches import redirect_shader_cache

WHERE = "import matplotlib; print(matplotlib.get_configdir(), matplotlib.get_cachedir(), sep='\\n')"
BY_A_COMMAND = "from companion.cli.main import main; main(['completion', 'bash'])"
BY_TRAINING = "import models.shared.plotting"


def kept_in(folder: Path, begun_by: str, **changes: str) -> set[str]:
    """Return where matplotlib keeps what it keeps, in a process that began so."""
    own = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}
    plain = {name: value for name, value in os.environ.items() if name != "MPLCONFIGDIR"}
    told = subprocess.run(
        [sys.executable, "-c", f"{begun_by}; {WHERE}"],
        env=plain | own | changes,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(told.stdout.splitlines()[-2:])


@pytest.mark.parametrize("begun_by", [BY_A_COMMAND, BY_TRAINING])
def test_plots_keep_their_cache_in_the_programs_own_folder(begun_by: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert kept_in(tmp_path, begun_by) == {str(tmp_path / "cache" / "shithead" / "matplotlib")}


def test_a_place_that_the_user_named_is_left_to_the_user(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    named = str(tmp_path / "mine")
    assert kept_in(tmp_path, BY_A_COMMAND, MPLCONFIGDIR=named) == {named}


def test_where_no_folder_can_be_made_shaders_are_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shithead").write_text("a file where the folder would be")
    for name in ("MESA_SHADER_CACHE_DIR", "MESA_SHADER_CACHE_DISABLE"):
        monkeypatch.setenv(name, "")  # has what is set below taken back
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    redirect_shader_cache()
    assert os.environ.get("MESA_SHADER_CACHE_DISABLE") == "true"
    assert "MESA_SHADER_CACHE_DIR" not in os.environ
