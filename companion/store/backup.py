"""Everything that the program stores on this device, and what its owner can do: back up, restore, erase."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import platformdirs

from companion.files.incomplete import (
    incomplete_files,
    notes_folder,
    notes_in_use,
    remove_incomplete_files,
    tracked_file,
)
from companion.files.lock import games_being_played, lock_files, store_lock_path
from companion.files.store_paths import follow_link, with_sqlite_files
from companion.store.damage import was_database
from companion.store.event_pictures import event_pictures_folder
from companion.store.kept_films import kept_films_folder
from companion.store.opening import (
    exclusive_access,
    pending_files,
    refuse_foreign_file,
    set_aside_files,
    unfinished_file,
)
from companion.store.schema import SQLITE_ERRORS, connect_to_read
from companion.store.store import Store, default_path, is_default_store
from engine.errors import BadInputError
from engine.files.atomic import make_folder


def back_up(target: Path, store: Path | None = None) -> Path:
    """Copy the store to `target` and return its path. The copy is whole even if a game is being written.

    Raises:
        BadInputError: `target` exists, there is nothing to copy, or it cannot be written.
    """
    source = follow_link(store or default_path())
    if target.exists():
        raise BadInputError("{target}: exists already, and was not overwritten", target=target)
    _refuse_own(target, source)
    if not source.is_file():
        raise BadInputError("the store {source} does not exist: there is nothing to back up", source=source)
    if not target.parent.is_dir():
        raise BadInputError("{target}: there is no folder {parent}", target=target, parent=target.parent)
    with Store.open_to_read(source) as opened:
        if opened.notice:
            raise BadInputError("{reason}", reason=opened.notice)
        remove_incomplete_files()
        with tracked_file(target) as part:
            opened.copy_to(part, called=target)
    return target


def restore(backup: Path, store: Path | None = None) -> Path | None:
    """Replace the store by `backup`. Return where the former store was set aside, or None if there was none.

    Raises:
        BadInputError: `backup` is no sound store of this program, or a game is being played. Nothing changes.
    """
    target = follow_link(store or default_path())
    with _sound_backup(backup, store) as rows, exclusive_access(target):
        check_not_playing(target)
        before = target.is_file()
        aside = rows.replace(target)
    return aside if before else None


def check_backup(backup: Path, store: Path | None = None) -> None:
    """Raise BadInputError, as `restore` does, if `backup` is no sound store of ours. Change nothing."""
    with _sound_backup(backup, store):
        pass


@contextlib.contextmanager
def _sound_backup(backup: Path, store: Path | None) -> Iterator[Store]:
    """Open a checked, up-to-date copy of `backup`, which is to replace a store."""
    named = store or default_path()
    target = follow_link(named)
    if not backup.is_file():
        if backup.exists():
            raise BadInputError("{path}: not a file", path=backup)
        raise BadInputError("{path}: no such file", path=backup)
    _refuse_own(backup, target)
    refuse_foreign_file(target, at_home=is_default_store(target))
    before = [part for part in with_sqlite_files(backup) if part.exists()]
    try:
        if not (was_database(backup) and _is_store(backup)):
            raise BadInputError("{backup}: not a backup of this program", backup=backup)
        with Store.open_to_read(backup, mode="ro") as opened:  # checks the copy, and migrates an older one
            if opened.notice:
                raise BadInputError("{backup}: is damaged", backup=backup)
            make_folder(named.parent)
            yield opened
    finally:
        for part in with_sqlite_files(backup):
            if part.exists() and part not in before:  # SQLite puts empty files beside an older backup of ours
                part.unlink(missing_ok=True)


def stored_files(store: Path | None = None) -> list[Path]:
    """Return every file that the program stores: games, pictures, decks, settings, logs, incomplete files.

    If `store` is given, only its own files and those set aside from it count. If its path is a link, they lie
    beside the link's target, and the link is one of them.
    """
    named = store or default_path()
    path = follow_link(named)
    found = [*with_sqlite_files(path), *with_sqlite_files(unfinished_file(path))]
    found += [*set_aside_files(path), *pending_files(path), *lock_files(path)]
    for folder in (event_pictures_folder(path), kept_films_folder(path)):
        if not folder.is_symlink():
            found += sorted(folder.glob("*/*"))
    if store is None:
        for folder in _folders():
            found += sorted(inside for inside in folder.rglob("*") if inside.is_file())
        being_written = notes_in_use()
        found = [*(file for file in found if file not in being_written), *incomplete_files()]
    found.append(named)
    return list(dict.fromkeys(file for file in found if file.is_file()))


def foreign_links(store: Path | None = None) -> list[tuple[Path, Path]]:
    """Return the links among the files that `erase` removes, each with the target that it leaves alone.

    The store's own link counts only if its target is missing.
    """
    named = store or default_path()
    inside = [path for folder in _folders() for path in folder.rglob("*")] if store is None else []
    own = named if named.exists() else None
    links = [
        path
        for path in (
            named,
            event_pictures_folder(named),
            kept_films_folder(named),
            *stored_files(store),
            *inside,
        )
        if path.is_symlink()
    ]
    return [(link, Path(os.path.realpath(link))) for link in dict.fromkeys(links) if link != own]


def erase(store: Path | None = None) -> list[Path]:
    """Delete everything that `stored_files` lists, and return it. `foreign_links` names the files that stay.

    Raises:
        BadInputError: a game is being played. Nothing is deleted.
        OSError: a file cannot be deleted. The error names it.
    """
    path = follow_link(store or default_path())
    refuse_foreign_file(path, at_home=is_default_store(path))
    with exclusive_access(path):  # other programs wait, and then find the store gone
        check_not_playing(path)
        lock = store_lock_path(path)
        half = incomplete_files() if store is None else []
        files = [file for file in stored_files(store) if file != lock]
        for file in files:
            if file not in half:
                file.unlink(missing_ok=True)
        for pictures in (event_pictures_folder(path), kept_films_folder(path)):
            shutil.rmtree(pictures, ignore_errors=True)  # not what a link leads to
        for folder in _folders() if store is None else ():
            _clear(folder, lock, *([notes_folder()] if notes_in_use() else []))
    for folder in _folders() if store is None else ():
        with contextlib.suppress(OSError):  # another program has begun to use it again
            folder.rmdir()
    for left in half:  # last, because they may lie where nothing can be removed
        left.unlink(missing_ok=True)
    return files


def _clear(folder: Path, *spared: Path) -> None:
    """Remove everything in a folder except `spared`. Links are not followed."""
    for inside in list(folder.iterdir()) if folder.is_dir() else ():
        if inside in spared:
            continue
        if inside.is_dir() and not inside.is_symlink():
            shutil.rmtree(inside, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                inside.unlink()


def _folders() -> Iterator[Path]:
    """Yield the folders that belong to the program alone."""
    for of in (
        platformdirs.user_data_path,
        platformdirs.user_config_path,
        platformdirs.user_log_path,
        platformdirs.user_state_path,
        platformdirs.user_cache_path,
    ):
        yield of("shithead", appauthor=False)


def check_not_playing(store: Path | None = None, besides: int | None = None) -> None:
    """Raise BadInputError if a game of `store` other than `besides` is being played."""
    path = store or default_path()
    if set(games_being_played(path)) - {besides}:
        raise BadInputError("a game is being played in {store}: end it first", store=path)


def list_backups(folder: Path) -> list[tuple[Path, int]]:
    """Return (path, number of games) of each readable backup in `folder`, the newest first."""
    found = []
    for path in sorted(folder.glob("shithead-*.sqlite"), reverse=True):
        with contextlib.suppress(BadInputError, *SQLITE_ERRORS):
            found.append((path, count_games(path)))
    return found


def count_games(backup: Path) -> int:
    """Return how many games a backup holds, without changing it."""
    with closing(connect_to_read(backup.resolve(), "ro")) as read:
        return int(read.execute("SELECT count(*) FROM games").fetchone()[0])


def _refuse_own(path: Path, store: Path) -> None:
    """Refuse one of the store's own files as the backup."""
    own = [*with_sqlite_files(store), *with_sqlite_files(unfinished_file(store))]
    if path.resolve() in [part.resolve() for part in own]:
        raise BadInputError("{path}: belongs to the store {store} itself", path=path, store=store)


def _is_store(backup: Path) -> bool:
    """Return whether a database is a store, rather than empty or another program's."""
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('games', 'events')"
    try:
        with closing(connect_to_read(backup, "ro")) as read:
            return bool(read.execute(query).fetchone()[0] == 2)
    except SQLITE_ERRORS:
        return False
