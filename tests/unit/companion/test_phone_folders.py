"""Files for other apps on a phone: leave to write them is asked for where Android wants that alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from companion.app import android_folders as phone_folders
from companion.app.android_folders import AndroidFolders, Answered, folders_to_ask_for, write_shared


class FakeFolders:
    """Stands in for the phone: answers as it is told to."""

    def __init__(self, *, allowed: bool) -> None:
        self.allowed, self.asked = allowed, 0

    def ask(self, answered: Answered) -> None:
        self.asked += 1
        answered(self.allowed)


def shared(monkeypatch: pytest.MonkeyPatch, folders: FakeFolders | None) -> list[str]:
    """Share something; returns what came of it."""
    done: list[str] = []
    monkeypatch.setattr(phone_folders, "folders_to_ask_for", lambda: folders)
    write_shared(lambda: done.append("written"), done.append)
    return done


def test_where_the_user_allows_it_what_is_shared_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = FakeFolders(allowed=True)
    assert (shared(monkeypatch, folders), folders.asked) == (["written"], 1)


def test_a_user_who_says_no_is_told_so_in_one_line_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (said,) = shared(monkeypatch, FakeFolders(allowed=False))
    assert said == "Not saved: the app is not allowed to write files. Allow it in the phone’s settings."


def test_where_nothing_must_be_asked_it_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shared(monkeypatch, None) == ["written"]


@pytest.mark.parametrize(
    ("level", "asks"), [(24, True), (28, True), (29, True), (30, False), (34, False), (None, False)]
)
def test_android_7_to_10_ask_and_no_later_one(
    level: int | None, asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one that does not tell its level: what cannot be written then is said when it fails."""
    version = SimpleNamespace() if level is None else SimpleNamespace(SDK_INT=level)
    monkeypatch.setitem(sys.modules, "jnius", SimpleNamespace(autoclass=lambda _name: version))
    monkeypatch.setattr(sys, "getandroidapilevel", lambda: 24, raising=False)
    assert isinstance(folders_to_ask_for(), AndroidFolders) == asks


def test_on_a_computer_nobody_is_asked() -> None:
    assert folders_to_ask_for() is None


class Android:
    """Stands in for Android's own module; the answer comes when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given = False
        self.asked: list[str] = []
        self.answer: Callable[[list[str], list[bool]], None] = lambda _asked, _granted: None
        permissions = SimpleNamespace(
            request_permissions=self._ask,
            check_permission=lambda _name: self.given,
            Permission=SimpleNamespace(WRITE_EXTERNAL_STORAGE="write"),
        )
        monkeypatch.setitem(sys.modules, "android", SimpleNamespace())
        monkeypatch.setitem(sys.modules, "android.permissions", permissions)
        monkeypatch.setitem(sys.modules, "kivy.clock", SimpleNamespace(mainthread=lambda work: work))

    def _ask(self, names: list[str], told: Callable[[list[str], list[bool]], None]) -> None:
        self.asked += names
        self.answer = told


@pytest.mark.parametrize(("granted", "answer"), [([True], True), ([False], False), ([], False)])
def test_android_is_asked_for_writing_and_a_question_broken_off_is_a_no(
    granted: list[bool], answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    android, answers = Android(monkeypatch), list[bool]()
    AndroidFolders().ask(answers.append)
    assert (android.asked, answers) == (["write"], [])
    android.answer([], granted)
    assert answers == [answer]


def test_who_has_allowed_it_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    android, answers = Android(monkeypatch), list[bool]()
    android.given = True
    AndroidFolders().ask(answers.append)
    assert (android.asked, answers) == ([], [True])
