"""Train all networks from nothing, one after the other: `python -m models.train`.

Each step runs in its own process. After an interruption the same command continues with the unfinished step,
which continues from its checkpoint. A finished training does not start again: remove its folder, or name
another one.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_dir

from models.shared.commands import run_command


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the chain."""

    name: str
    module: str
    arguments: tuple[str, ...]

    @property
    def command(self) -> tuple[str, ...]:
        """The command line, with this Python."""
        return (sys.executable, "-m", self.module, *self.arguments)

    def done_file(self, folder: Path) -> Path:
        """The file whose existence says that the step is done."""
        return folder / f"{self.name}.done"


def steps(folder: Path, out: Path, device: str, threads: int) -> list[Step]:
    """Return the chain, in its order: each step comes after those that it needs.

    The weight of a lone index is fitted with its own network and those of the faces. A copy with 8-bit
    weights names the network that it was made from.

    Args:
        folder: For samples, scenes and checkpoints.
        out: Gets the folders of the weights, named as in `models`.
        device: As `models.shared.devices` reads it; the face networks get the first of several.
        threads: Number of CPU threads for torch.
    """
    faces, indices, outlines = out / "faces", out / "indices/indices.onnx", out / "outlines/outlines.onnx"
    effort = ("--device", device, "--threads", str(threads))
    effort_of_one = ("--device", device.split(",")[0], "--threads", str(threads))

    def named(**paths: Path) -> tuple[str, ...]:
        return tuple(word for name, path in paths.items() for word in (f"--{name}", str(path)))

    return [
        Step("faces", "models.faces.train", (*named(folder=folder / "faces", out=faces), *effort_of_one)),
        Step(
            "strips",
            "models.faces.strip.train",
            (*named(folder=folder / "strips", out=faces), *effort_of_one),
        ),
        Step("indices", "models.indices.train", (*named(folder=folder / "indices", out=indices), *effort)),
        Step("lone indices", "models.indices.calibrate", named(weights=indices, faces=faces)),
        Step(
            "outlines", "models.outlines.train", (*named(folder=folder / "outlines", out=outlines), *effort)
        ),
        Step("8-bit faces", "models.faces.quantise", named(weights=faces)),
        Step(
            "8-bit outlines",
            "models.outlines.quantise",
            (*named(folder=folder / "outlines", weights=outlines), *effort),
        ),
        Step("checksums", "models.checksums", named(out=out)),
    ]


def run(chain: Sequence[Step], folder: Path) -> None:
    """Run the steps that are not done yet. If a step fails, the process ends with its status."""
    left = [step for step in chain if not step.done_file(folder).exists()]
    if not left:
        print(f"{folder}: this training is finished; to train again, remove the folder or name another")
    for number, step in enumerate(left, start=1):
        print(f"{step.name} ({number} of {len(left)}): {shlex.join(step.command[1:])}", flush=True)
        status = subprocess.run(step.command, check=False).returncode
        if status:
            raise SystemExit(status)
        step.done_file(folder).touch()


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m models.train")
    cache = Path(user_cache_dir("shithead")) / "training"
    parser.add_argument(
        "--folder", type=Path, default=cache, help="for samples, scenes, checkpoints (default: %(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="gets the weights (default: those that ship)"
    )
    parser.add_argument(
        "--device", default="cpu", metavar="D", help="cpu, or GPUs as 0 or 0,1 (default: cpu)"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dry-run", action="store_true", help="print the steps, and run nothing")
    args = parser.parse_args(argv)
    chain = steps(args.folder.resolve(), args.out.resolve(), args.device, args.threads)
    if args.dry_run:
        for step in chain:
            state = "done" if step.done_file(args.folder).exists() else "to do"
            print(f"{state}: python {shlex.join(step.command[1:])}")
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    run(chain, args.folder)


if __name__ == "__main__":
    run_command(main, "the same command continues with this step")
