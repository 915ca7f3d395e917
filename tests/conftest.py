"""What holds for all tests: no deadlines, and nothing of the user of this machine is read or written."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Hypothesis would load what other packages offer it: of selenium's that is half a second, for nothing.
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")
from hypothesis import settings

from tests.support import made_once

# No test may fail because the machine was busy.
settings.register_profile("unhurried", deadline=None, max_examples=40)
settings.load_profile("unhurried")

# Windows are drawn by the processor here. One thread does that with a fifth less work than several.
os.environ.setdefault("LP_NUM_THREADS", "0")

# Matrices are small here. A second thread would mostly wait for work, and keep a processor busy with that.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start hundreds of programs. Each would compile every module anew if no compiled ones were kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False  # nor does pytest rewrite every test anew

# Thousands of tests stay in memory to the end. Python need not look through them again and again.
gc.disable()


def pytest_collection_finish() -> None:
    """Let Python clean up again, but leave out what has been loaded so far."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)  # what little garbage tests leave need not be looked for all the time
    gc.enable()


_KINDS = (
    "DATA_HOME",
    "CONFIG_HOME",
    "CACHE_HOME",
    "STATE_HOME",
    "PICTURES_DIR",
    "VIDEOS_DIR",
    "DOCUMENTS_DIR",
)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Leave no test in the language of the one before it."""
    yield
    catalogue = sys.modules.get("companion.i18n.catalogue")
    if catalogue is not None:
        catalogue.set_language("en")


@pytest.fixture(scope="session", autouse=True)
def folder_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let the processes of this run share what is made once."""
    own = tmp_path_factory.getbasetemp()
    made_once.share_in(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture(scope="session", autouse=True)
def folders_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Put the user's folders into the tests' own; programs that tests start inherit them."""
    home = tmp_path_factory.mktemp("home")
    before = {f"XDG_{kind}": os.environ.get(f"XDG_{kind}") for kind in _KINDS}
    for kind in _KINDS:
        os.environ[f"XDG_{kind}"] = str(home / kind.lower())
    yield home
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
