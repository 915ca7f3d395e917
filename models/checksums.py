"""Write the checksums of the weights: `python -m models.checksums`.

`shithead doctor` compares the weights with them.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

from engine.errors import BadInputError
from models.shared.commands import run_command

NAME = "weights.sha256"


def write_checksums(root: Path) -> Path:
    """Write `weights.sha256` for the .onnx and .json files in the folders of `root`, and return its path.

    The format is that of `sha256sum`.

    Raises:
        BadInputError: there are no weights, or the file cannot be written.
    """
    files = [*sorted(root.glob("*/*.onnx")), *sorted(root.glob("*/*.json"))]
    if not files:
        raise BadInputError("{path}: there are no weights", path=root)
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(root).as_posix()}\n"
        for file in files
    ]
    path = root / NAME
    try:
        path.write_text("".join(lines), "utf-8")
    except OSError as error:
        raise BadInputError(
            "{path}: cannot be written ({reason})", path=path, reason=error.strerror
        ) from error
    return path


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder of the weights")
    args = parser.parse_args(argv)
    print(write_checksums(args.out))


if __name__ == "__main__":
    run_command(main, "run it again")
