"""Everything that the program stores on this device, and what its owner can do: back up, restore, erase."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
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
from companion.files.scratch import remove_stale_scratch
from companion.files.store_paths import SQLITE_SUFFIXES, follow_link
from companion.store.damage import was_database
from companion.store.event_pictures import event_pictures_folder, former_picture_folders
from companion.store.opening import (
    exclusive_access,
    new_pending_file,
    pending_files,
    refuse_foreign_file,
    remove_pending,
    salvage_folders,
    set_aside_files,
    swap_in,
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
        _copy(source, part, "rw", target)
    return target


def restore(backup: Path, store: Path | None = None) -> Path | None:
    """Replace the store by `backup`. Return where the former store was set aside, or None if there was none.

    Raises:
        BadInputError: `backup` is no sound store of this program, or a game is being played. Nothing changes.
    """
    named = store or default_path()
    target = follow_link(named)
    with _sound_copy(backup, named, target) as copy, exclusive_access(target):
        check_not_playing(target)
        remove_pending(target)
        before = target.is_file()
        waiting = new_pending_file(target, "restored")
        copy.rename(waiting)
        aside = swap_in(waiting, target)
    return aside if before else None


def check_backup(backup: Path, store: Path | None = None) -> None:
    """Raise BadInputError, as `restore` does, if `backup` is no sound store of ours. Change nothing."""
    named = store or default_path()
    with _sound_copy(backup, named, follow_link(named)):
        pass


@contextlib.contextmanager
def _sound_copy(backup: Path, named: Path, target: Path) -> Iterator[Path]:
    """Yield a checked, up-to-date copy of `backup` beside the store, and remove it at the end.

    `named` is the store's path as given, `target` the file that it leads to.
    """
    if not backup.is_file():
        if backup.exists():
            raise BadInputError("{path}: not a file", path=backup)
        raise BadInputError("{path}: no such file", path=backup)
    _refuse_own(backup, target)
    if not was_database(backup):
        raise BadInputError("{backup}: not a backup of this program", backup=backup)
    refuse_foreign_file(target, at_home=is_default_store(target))
    make_folder(named.parent)
    scratch = _scratch(target)
    _remove(scratch)
    try:
        _copy(backup, scratch, "ro", scratch)
        if not _is_store(scratch):
            raise BadInputError("{backup}: not a backup of this program", backup=backup)
        with Store.open(scratch) as opened:  # checks the copy, and migrates an older one
            if opened.notice:
                raise BadInputError("{backup}: is damaged", backup=backup)
        yield scratch
    finally:
        for path in (*_parts(scratch), *set_aside_files(scratch)):
            path.unlink(missing_ok=True)


def stored_files(store: Path | None = None) -> list[Path]:
    """Return every file that the program stores: games, pictures, decks, settings, logs, incomplete files.

    If `store` is given, only its own files and those set aside from it count. If its path is a link, they lie
    beside the link's target, and the link is one of them.
    """
    named = store or default_path()
    path = follow_link(named)
    found = _parts(path)
    found += set_aside_files(path)
    found += _parts(_scratch(path))
    found += pending_files(path)
    found += lock_files(path)
    for folder in salvage_folders(path):
        found += sorted(folder.glob("*"))
    for folder in _picture_folders(named):
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
        for path in (named, event_pictures_folder(named), *stored_files(store), *inside)
        if path.is_symlink()
    ]
    return [(link, Path(os.path.realpath(link))) for link in dict.fromkeys(links) if link != own]


def _picture_folders(named: Path) -> list[Path]:
    own = event_pictures_folder(named)
    return [*([] if own.is_symlink() else [own]), *former_picture_folders(named)]


def erase(store: Path | None = None) -> list[Path]:
    """Delete everything that `stored_files` lists, and return it. `foreign_links` names the files that stay.

    Raises:
        BadInputError: a game is being played. Nothing is deleted.
        OSError: a file cannot be deleted. The error names it.
    """
    named = store or default_path()
    path = follow_link(named)
    refuse_foreign_file(path, at_home=is_default_store(path))
    with exclusive_access(path):  # other programs wait, and then find the store gone
        check_not_playing(path)
        lock = store_lock_path(path)
        pictures = _picture_folders(named)
        half = incomplete_files() if store is None else []
        files = [file for file in stored_files(store) if file != lock]
        for file in files:
            if file not in half:
                file.unlink(missing_ok=True)
        for folder in (*salvage_folders(path), *pictures):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in _folders() if store is None else ():
            _clear(folder, lock, *([notes_folder()] if notes_in_use() else []))
    remove_stale_scratch()
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


def _copy(source: Path, target: Path, mode: str, called: Path) -> None:
    """Copy a database with SQLite's own backup, which includes its write-ahead log.

    The copy needs no files beside it; errors name it as `called`. Mode `rw` suits our own store, in which a
    game may be going on, because SQLite then cleans up after itself. Mode `ro` suits the user's own file.
    """
    before = [path for path in _parts(source) if path.exists()]
    try:
        with (
            closing(connect_to_read(source.resolve(), mode)) as read,
            closing(sqlite3.connect(target)) as write,
        ):
            read.backup(write)
            write.execute("PRAGMA journal_mode = DELETE")
    except SQLITE_ERRORS as error:
        _remove(target)
        raise BadInputError(
            "{source}: cannot be copied to {target}: {reason}", source=source, target=called, reason=error
        ) from None
    finally:
        for path in _parts(source) if mode == "ro" else ():
            if path.exists() and path not in before:  # SQLite puts empty files beside an older backup of ours
                path.unlink(missing_ok=True)


def list_backups(folder: Path) -> list[tuple[Path, int]]:
    """Return (path, number of games) of each readable backup in `folder`, the newest first."""
    found = []
    for path in sorted(folder.glob("shithead-*.sqlite"), reverse=True):
        with contextlib.suppress(*SQLITE_ERRORS):
            found.append((path, count_games(path)))
    return found


def count_games(backup: Path) -> int:
    """Return how many games a backup holds, without changing it."""
    with closing(sqlite3.connect(f"{backup.resolve().as_uri()}?mode=ro", uri=True)) as read:
        return int(read.execute("SELECT count(*) FROM games").fetchone()[0])


def _refuse_own(path: Path, store: Path) -> None:
    """Refuse one of the store's own files as the backup."""
    if path.resolve() in [part.resolve() for part in (*_parts(store), *_parts(_scratch(store)))]:
        raise BadInputError("{path}: belongs to the store {store} itself", path=path, store=store)


def _scratch(store: Path) -> Path:
    """Return the path at which a backup is checked before it replaces the store."""
    return store.with_name(f"{store.stem}.restoring{store.suffix}")


def _parts(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in SQLITE_SUFFIXES]


def _is_store(path: Path) -> bool:
    """Return whether a database is a store, rather than empty or another program's."""
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('games', 'events')"
    try:
        with closing(sqlite3.connect(path)) as connection:
            return bool(connection.execute(query).fetchone()[0] == 2)
    except SQLITE_ERRORS:
        return False


def _remove(path: Path) -> None:
    for part in _parts(path):
        part.unlink(missing_ok=True)
