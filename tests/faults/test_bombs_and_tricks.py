"""Files made to do harm: archives that unpack to gigabytes, pickles, paths that lead elsewhere."""

from __future__ import annotations

import io
import json
import pickle
import resource
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from companion.cli.main import main
from engine.errors import BadInputError
from vision.decks.deck import Deck
from vision.decks.deck_files import deck_path, load_deck, save_deck
from vision.images import read_image

GIGABYTE = 2**30


def npy(header: str, body: bytes = b"") -> bytes:
    """Return an array file with a header of one's own."""
    text = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def archive(path: Path, **parts: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(f"{name}.npy", data)
    return path


def sound_parts() -> dict[str, bytes]:
    arrays: dict[str, np.ndarray | np.int64] = {
        "format": np.int64(1),
        "weights": np.array("w"),
        "cards": np.array(["9S", "KH"]),
        "features": np.zeros((2, 4), np.float16),
    }
    parts = {}
    for name, array in arrays.items():
        file = io.BytesIO()
        np.save(file, array)
        parts[name] = file.getvalue()
    return parts


def most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_deck_of_these_parts_is_sound(tmp_path: Path) -> None:
    archive(tmp_path / "sound.npz", **sound_parts())
    assert load_deck("sound", tmp_path).cards == ("9S", "KH")


def test_a_deck_that_unpacks_to_gigabytes_is_refused_before_it_does(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    head = npy("{'descr': '<f2', 'fortran_order': False, 'shape': (1048576, 512), }")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in sound_parts().items():
            if name != "features":
                file.writestr(f"{name}.npy", data)
        with file.open("features.npy", "w", force_zip64=True) as part:
            part.write(head)
            for _ in range(64):
                part.write(bytes(2**22))
    assert path.stat().st_size < 2**20
    before = most_memory()
    with pytest.raises(BadInputError, match=r"bomb\.npz: not a deck file"):
        load_deck("bomb", tmp_path)
    assert most_memory() - before < 2**26


@pytest.mark.parametrize("shape", ["(1000000000000, 4)", "(2, -4)", "(99999999999999999999, 1)", "(2," * 500])
def test_a_deck_that_lies_about_its_size_is_refused(shape: str, tmp_path: Path) -> None:
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}, }}"
    archive(tmp_path / "liar.npz", **(sound_parts() | {"features": npy(header, bytes(16))}))
    with pytest.raises(BadInputError, match=r"liar\.npz: not a deck file"):
        load_deck("liar", tmp_path)


@pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", "more"])
def test_a_deck_with_other_parts_is_refused_and_nothing_is_unpacked(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    archive(folder / "trick.npz", **(sound_parts() | {name: b"x"}))
    with pytest.raises(BadInputError, match=r"trick\.npz: not a deck file"):
        load_deck("trick", folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["decks", "trick.npz"]


def test_a_damaged_stream_within_an_archive_is_one_line(tmp_path: Path) -> None:
    path = archive(tmp_path / "torn.npz", **sound_parts())
    data = bytearray(path.read_bytes())
    for place in range(60, len(data) - 300, 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            load_deck("torn", tmp_path)
            said = ""
        except BadInputError as error:
            said = str(error)
        assert "\n" not in said


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "..", "x" * 41, "a\0b", "~", "C:x", "a b", "é\n"])
def test_a_decks_name_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="a name is 1 to 40 letters"):
        deck_path(name, tmp_path)


class Harm:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return (Path.touch, (self.mark,))


def test_pickles_are_not_opened_by_anything_that_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "harm"
    data = pickle.dumps(Harm(mark))
    for name in ("s.json", "g.txt", "h.toml", "e.jsonl", "b.sqlite", "p.jpg", "f.mp4"):
        (tmp_path / name).write_bytes(data)
    for arguments in (
        ["judge", "s.json"],
        ["record", "g.txt"],
        ["rules", "h.toml"],
        ["score", "e.jsonl", "e.jsonl"],
        ["restore", "b.sqlite", "--store", "new.sqlite"],
        ["watch", "f.mp4", "--headless"],
        ["watch", "f.mp4", "--headless", "--layout", "s.json"],
    ):
        monkeypatch.chdir(tmp_path)
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1, error
    file = io.BytesIO()
    np.save(file, np.array([Harm(mark)], dtype=object))
    for part in ("cards", "features", "format", "weights"):
        archive(tmp_path / "bad.npz", **(sound_parts() | {part: file.getvalue()}))
        with pytest.raises(BadInputError):
            load_deck("bad", tmp_path)
    with pytest.raises(BadInputError):
        read_image(tmp_path / "p.jpg")
    assert not mark.exists()


LOADS = """
import json, sys
from pathlib import Path
import numpy as np
from vision.recognition.classifier import CardClassifier
from vision.recognition.index_detector import IndexDetector
from vision.recognition.detector import CardDetector
from vision.decks.deck_files import load_deck
from vision.decks.deck_head import DeckHead

def load():
    CardClassifier(threads=1)
    CardDetector()
    IndexDetector()
    DeckHead(load_deck("mine", Path(sys.argv[1])))

load()  # whatever is imported on the way is imported now
events = []
sys.addaudithook(lambda name, _: events.append(name))
load()
print(json.dumps(sorted(set(events))))
"""


def test_decks_and_weights_are_loaded_without_running_anything_in_them(tmp_path: Path) -> None:
    """Python itself reports what runs code, opens pickles, starts programs or goes to the network."""
    save_deck(Deck("mine", "w", ("9S", "KH"), np.zeros((2, 4), np.float32)), tmp_path)
    run = [sys.executable, "-c", LOADS, str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    events = set(json.loads(done.stdout))
    assert "open" in events
    harmful = {"exec", "pickle.find_class", "marshal.loads", "ctypes.dlopen", "os.system", "subprocess.Popen"}
    assert not {
        name for name in events if name in harmful or name.startswith(("socket.", "urllib.", "shutil."))
    }


def png(width: int, height: int) -> bytes:
    """Return a black picture of one bit a pixel: a few bytes for each megabyte that it unpacks to."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + (width + 7) // 8)) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


READS = """
import sys, resource
from pathlib import Path
from vision.images import read_image
try:
    print(read_image(Path(sys.argv[1])).shape)
except ValueError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_a_picture_that_unpacks_to_a_gigabyte_is_refused_before_it_does(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    told = []
    for side in (1_000, 20_000):
        path.write_bytes(png(side, side))
        assert path.stat().st_size < 100_000
        run = [sys.executable, "-c", READS, str(path)]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        told.append(done.stdout.splitlines())
    assert told[0][0] == "(1000, 1000, 3)"
    assert told[1][0] == f"{path}: not a picture that can be decoded, or too large a one"
    assert int(told[1][1]) - int(told[0][1]) < 50_000, "kilobytes of memory"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("judge", "[" * 200_000),
        ("judge", '{"players": ' + "9" * 5000 + "}"),
        ("judge", '{"players": ["\\ud800", "b"], "action": {"type": "draw"}}'),
        ("record", '[Players "Ann, Bob"]\n1. Ann draws ' + "9" * 5000),
        ("rules", "a = " + "[" * 20_000),
        ("rules", "a = " + "9" * 5000),
        ("rules", 'base = "shed"\n[mechanics]\nfour = ' + "9" * 4000),
    ],
)
def test_texts_that_are_too_deep_or_too_long_are_one_line(
    command: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ("file.toml" if command == "rules" else "file.txt")
    path.write_text(text)
    assert main([command, str(path)]) in (0, 2)
    error = capsys.readouterr().err
    assert error.count("\n") <= 1
    assert "program failed" not in error


def test_a_files_name_of_two_lines_is_told_in_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(tmp_path / "two\nlines.mp4"), "--headless"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# --- what is written, and where -----------------------------------------------------------------------

WATCHES = """
import os, sys
sys.path.insert(0, sys.argv[1])
opened = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
def note(name, args):
    if name == "open" and isinstance(args[0], str) and isinstance(args[2], int) and args[2] & WRITING:
        opened.append(args[0])
    elif name in ("os.mkdir", "os.rename", "os.remove", "sqlite3.connect"):
        opened.append(str(args[0]).removeprefix("file://").partition("?")[0])
sys.addaudithook(note)
from types import SimpleNamespace
import vision.recognition.incremental
vision.recognition.incremental.game_reader = lambda *_: SimpleNamespace(read=lambda *_: [])
from companion.cli.main import main
for arguments in (
    ["watch", "film.avi", "--headless", "--store"],
    ["tally"], ["doctor"], ["rules"], ["simulate"], ["deck", "list"], ["erase", "--yes"],
    ["read", "none.jpg"],
):
    main(arguments)
import json
print("\\n" + json.dumps(opened))
"""


def test_commands_write_to_the_programs_own_folders_and_nowhere_else(
    tmp_path: Path, home: Path, as_program: dict[str, str]
) -> None:
    import cv2

    work = tmp_path / "work"
    work.mkdir()
    writer = cv2.VideoWriter(str(work / "film.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, (160, 120))
    for _ in range(5):
        writer.write(np.zeros((120, 160, 3), np.uint8))
    writer.release()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run = [sys.executable, "-c", WATCHES, str(Path(__file__).parents[2])]
    done = subprocess.run(
        run,
        cwd=work,
        env=as_program | {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    opened = json.loads(done.stdout.splitlines()[-1])
    own = [path for path in opened if "/shithead" in path and path.startswith(str(home))]
    elsewhere = {
        path
        for path in opened
        if path not in own and not path.startswith((str(temporary), "/dev/", ":memory:"))
    }
    # The folders above the program's own are made where they are missing.
    assert {
        path for path in elsewhere if not str(home).startswith(path) and Path(path).parent != home
    } == set()
    assert own
    assert [path.name for path in work.iterdir()] == ["film.avi"]
    assert list(temporary.iterdir()) == []


LOADED = """
import os, time
from vision.recognition.classifier import CardClassifier
CardClassifier(threads=1)
time.sleep(0.5)
links = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")
         if os.path.islink(f"/proc/self/fd/{number}")]
print(sum(link.startswith("socket:") for link in links))
"""


def test_the_networks_runtime_tells_nobody_that_it_runs(
    tmp_path: Path, home: Path, as_program: dict[str, str]
) -> None:
    """onnxruntime would give this machine a number, keep it in files, and send reports under it."""
    run = [sys.executable, "-c", LOADED]
    environment = as_program | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
    assert [path for path in (*tmp_path.rglob("*"), *home.rglob("*")) if path.is_file()] == []
