"""The options `--jobs` and `--cluster`, which spread a command's work."""

from __future__ import annotations

import argparse
import os

from engine.errors import BadInputError

CLUSTER_VARIABLE = "SHITHEAD_CLUSTER"
_MOST = 1024


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the options. A command's result does not depend on them."""
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes on this machine")
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"a Dask scheduler whose workers do it instead (default: {CLUSTER_VARIABLE})",
    )


def jobs_of(args: argparse.Namespace) -> tuple[int, str | None]:
    """Return the number of processes and the cluster's address, if any.

    Raises:
        BadInputError: the number is out of range.
    """
    if not 1 <= args.jobs <= _MOST:
        raise BadInputError(f"--jobs {args.jobs}: it must be from 1 to {_MOST}")
    return args.jobs, args.cluster or os.environ.get(CLUSTER_VARIABLE) or None
