"""Spread work over processes of this machine, or over a Dask cluster, with joblib.

The result does not depend on the number of workers: each piece carries its own seed, and results come back in
order. Without `jobs` and `cluster` everything runs in this process, without joblib.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from engine.errors import BadInputError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

_CONNECT_SECONDS = 10


def spread(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], jobs: int = 1, cluster: str | None = None
) -> Iterator[Result]:
    """Yield `work(piece)` for each piece, in order, as soon as it and all before it are done.

    Args:
        work: A function of a module, or a `partial` of one. Other processes find it by its name.
        pieces: The arguments.
        jobs: Processes on this machine. A cluster uses all its workers instead.
        cluster: Address of a Dask scheduler (`tcp://HOST:8786`). Files are not sent: the workers need the
            same folders and the same version of this program.

    Raises:
        BadInputError: joblib or dask is not installed, or no scheduler answers at the address.
    """
    if jobs == 1 and cluster is None:
        yield from map(work, pieces)
        return
    joblib = _joblib()
    with contextlib.ExitStack() as stack:
        if cluster is not None:
            stack.enter_context(_client(cluster))
            stack.enter_context(joblib.parallel_config(backend="dask"))
            jobs = -1
        parallel = joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
        yield from parallel(joblib.delayed(work)(piece) for piece in pieces)


def _joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise BadInputError("--jobs needs joblib: pip install joblib") from None
    return joblib


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise BadInputError("--cluster needs dask: pip install distributed joblib") from None
    try:
        return Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise BadInputError(f"--cluster {address}: no Dask scheduler answers there ({error})") from None
