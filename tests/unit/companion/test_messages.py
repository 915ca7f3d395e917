"""What is wrong with files, cameras, streams, the store and decks is said in the user's language."""

from __future__ import annotations

import ast
import errno
import os
import pickle
import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from companion.game.session import Session
from companion.i18n.catalogue import set_language
from companion.i18n.extract import SOURCES, terminal_only, translations
from companion.i18n.messages import REASONS, error_text, failure_text, translate
from companion.store.outbox import Outbox
from companion.store.store import Store
from engine.errors import BadInputError
from engine.messages import Said, message
from tests.support.waiting import until
from vision.capture.sources import FrameResizer, open_source
from vision.decks.deck_files import load_deck

PO = {entry.id: entry.string for entry in translations("de")}
SAYS = re.compile(r"\b(?:BadInputError|message|_?tell)\(")
"""Finds what gives an error, a message, or whoever is told something, its text."""
NOTHING_TO_TRANSLATE = {"{name}: {reason}", "{path}: {reason}", "{reason}"}


@pytest.fixture(autouse=True)
def german_app() -> Iterator[None]:
    set_language("de")
    yield
    set_language("en")


@cache
def calls_in(path: Path) -> list[ast.Call]:
    """Return the calls of a source file that pass something by its place, if any of them says something."""
    source = path.read_text("utf-8")
    if not SAYS.search(source):  # to parse a file takes much longer
        return []
    nodes = ast.walk(ast.parse(source))
    return [node for node in nodes if isinstance(node, ast.Call) and node.args]


def said_in(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """Yield, by line, what a source file gives an error, a message, or whoever is told something."""
    for node in calls_in(path):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        told = isinstance(node.func, ast.Attribute) and node.func.attr in ("tell", "_tell")
        if name in ("BadInputError", "message") or (told and isinstance(node.args[0], ast.JoinedStr)):
            yield node.lineno, node.args[0]


FILES = [path for root in SOURCES for path in sorted(root.rglob("*.py")) if not terminal_only(path)]


def test_every_error_that_the_app_can_show_has_a_german_entry() -> None:
    """A form is a literal: a text put together beforehand could not be looked up."""
    faults, forms = [], set()
    for path in FILES:
        for line, form in said_in(path):
            if isinstance(form, ast.Constant) and isinstance(form.value, str):
                forms.add(form.value)
            elif not (path.name == "errors.py" and isinstance(form, ast.Name)):  # which makes one of any form
                faults.append(f"{path.name}:{line}: {ast.unparse(form)}")
    assert faults == []
    assert len(forms) > 100
    assert [form for form in sorted(forms) if not PO.get(form)] == []
    same = {form for form in forms if PO[form] == form}
    assert same == NOTHING_TO_TRANSLATE


def test_a_form_has_all_the_facts_that_it_names() -> None:
    for path in FILES:
        for node in calls_in(path):
            if not isinstance(node.func, ast.Name):
                continue
            form = node.args[0]
            if node.func.id in ("BadInputError", "message") and isinstance(form, ast.Constant):
                facts: dict[str, Any] = {str(keyword.arg): 1.5 for keyword in node.keywords}
                assert isinstance(form.value, str)
                named = form.value.format(**facts) if facts else form.value
                assert facts or "{" not in named, f"{path.name}:{node.lineno}"
                assert all(f"{{{name}" in form.value for name in facts), f"{path.name}:{node.lineno}"


@pytest.mark.parametrize(
    ("spec", "german"),
    [
        ("nowhere.mp4", "nowhere.mp4: Diese Datei gibt es nicht"),
        ("ftp://x/y", "ftp://x/y: Die Adresse eines Streams beginnt mit: "),
        ("99999999999999999999999", "Kamera 99999999999999999999: lässt sich nicht öffnen"),
    ],
)
def test_a_source_that_cannot_be_opened_is_told_in_german(spec: str, german: str) -> None:
    with pytest.raises(BadInputError) as failed:
        open_source(spec)
    assert error_text(failed.value).startswith(german)
    set_language("en")
    assert error_text(failed.value) == str(failed.value)
    assert not str(failed.value).startswith(german)


def test_a_reason_within_a_message_is_german_too() -> None:
    fitted = FrameResizer()
    fitted.size, fitted.rejected_size = (640, 480), (480, 640)
    line = message(
        "{name}: {reason}", name=message("camera {number}", number=1), reason=fitted.fault_message()
    )
    assert line == "camera 1: the picture is 480 x 640 now, it was 640 x 480: put the camera back as it was"
    assert translate(line).startswith("Kamera 1: das Bild hat jetzt 480 x 640, vorher 640 x 480: Stell")


def test_a_deck_that_is_not_there_and_a_name_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as failed:
        load_deck("blau", tmp_path)
    assert error_text(failed.value).startswith("Blatt blau: nicht eingelernt")
    with pytest.raises(BadInputError) as failed:
        load_deck("../blau", tmp_path)
    assert error_text(failed.value).startswith("Blatt '../blau': Ein Name hat 1 bis 40 Buchstaben")


def test_what_happened_to_a_damaged_store_is_told_in_german(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(b"SQLite format 3\0, or so it was until it was damaged" * 100)
    with Store.open(path) as store:
        said = translate(store.notice or "")
    assert said.startswith(f"der Speicher {path} ist beschädigt; er wurde als games.damaged-")


def test_a_store_that_fails_while_a_game_runs_is_told_in_german(tmp_path: Path) -> None:
    told: list[str] = []
    store = Store.open(tmp_path / "games.sqlite")
    outbox = Outbox(store, told.append, clock=lambda: 0.0)

    def locked(_store: Store) -> None:
        raise BadInputError(
            "the store {path} cannot be written: {reason}", path="S", reason="database is locked"
        )

    outbox.put(locked)
    assert translate(told[0]) == (
        "in den Speicher S lässt sich nicht schreiben: die Datenbank ist gesperrt; "
        "das Spiel geht weiter und wird aufgezeichnet, sobald es geht"
    )
    with pytest.raises(BadInputError) as failed:
        outbox.close()
    assert error_text(failed.value).endswith("; die letzten 1 Einträge wurden nicht aufgezeichnet")


def test_a_game_that_cannot_begin_says_so_in_german() -> None:
    def no_source() -> Any:
        raise BadInputError("{path}: no such file", path="film.mp4")

    session = Session(no_source, lambda: pytest.fail("no game is opened"))
    session.start()
    until(lambda: session.snapshot.phase == "failed")
    session.stop()
    assert session.snapshot.says == "film.mp4: Diese Datei gibt es nicht"


def test_errors_of_the_system_are_told_by_path_and_reason() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "backup.sqlite")
    assert error_text(full) == "backup.sqlite: Auf dem Gerät ist kein Platz mehr"
    assert error_text(ValueError("as it is")) == "as it is"
    assert failure_text(KeyError("x")) == "Im Programm ist ein Fehler aufgetreten (KeyError: 'x')"
    for number in (errno.ENOENT, errno.EACCES, errno.EROFS, errno.EIO, errno.EEXIST, errno.ENAMETOOLONG):
        assert os.strerror(number) in REASONS


@pytest.mark.parametrize("odd", ["{0}", "{name", "a}b", "{path!r:>99}", "Undo"])
def test_what_users_name_is_never_taken_for_a_form(odd: str) -> None:
    assert str(BadInputError("{path}: no such file", path=odd)) == f"{odd}: no such file"
    assert error_text(BadInputError("{path}: no such file", path=odd)) == f"{odd}: Diese Datei gibt es nicht"
    assert error_text(BadInputError(f"odd {odd}")) == f"odd {odd}"


def test_an_error_can_be_sent_to_another_process() -> None:
    inner = BadInputError("{path}: the file is empty", path="a.npz")
    sent = pickle.loads(pickle.dumps(BadInputError("event {kind!r}: {reason}", kind="play", reason=inner)))
    assert str(sent) == "event 'play': a.npz: the file is empty"
    assert isinstance(sent.says.facts["reason"], Said)
    assert error_text(sent) == "Ereignis 'play': a.npz: Die Datei ist leer"


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (sqlite3.DatabaseError('unrecognized token: "a\n  b"'), 'unrecognized token: "a   b"'),
        (Path("one\ntwo.mp4"), "one two.mp4"),
        ("one\r\ntwo", "one two"),
    ],
)
def test_what_a_library_or_a_name_says_in_several_lines_is_told_in_one(fact: Any, line: str) -> None:
    assert str(BadInputError("{what}: no", what=fact)) == f"{line}: no"
    assert translate(message("{what}: no", what=fact)) == f"{line}: no"
