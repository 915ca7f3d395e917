"""Feeds everything that the program reads with input that nobody meant: minutes or hours, until told to stop.

    python tests/faults/fuzz.py --minutes 120
    python tests/faults/fuzz.py --minutes 120 --engine atheris   (needs `pip install atheris`)
    python tests/faults/fuzz.py --target deck FILE...              (runs files again, as findings are)

Hypothesis draws mutations of sound files; atheris lets the code's coverage guide them. Each finding is
written to `--findings`, named after its target, and the run goes on; atheris keeps one of each kind. Exits
with 1 if there is any. The minutes are a processor's time, so beside other work it takes longer. How much it
took and what it found is kept as benchmarks keep what they measure (`SHITHEAD_MEASURED`).
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from datasets.measuring.benchmark_log import note

ENGINES = ("hypothesis", "atheris")
_BATCH = 150
_TOKENS = (
    *(
        b"\x00",
        b"\xff",
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\xff",
        b"\x80\x00\x00\x00",
        b"\n",
        b"\r\n",
        b'"',
        b"'",
    ),
    *(b"[", b"]", b"{", b"}", b",", b":", b"=", b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"null", b"true"),
    *(text.encode() for text in ("ﷺ", "\u202e", "\u2028", "é", "🂡")),
    *(
        b"9" * 30,
        b"9" * 5000,
        b"[" * 3000,
        b"\\ud800",
        b"\\u0000",
        b"../",
        b"/etc/passwd",
        b"%s",
        b"\xed\xa0\x80",
    ),
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 70),
    st.sampled_from([2**31, 2**63, -(2**63), 10**400, 1e308, float("nan"), float("inf"), -0.0, 0.5]),
    st.floats(),
    st.sampled_from(
        ["", "??", "9S", "P1", "Ann", "play", "\ud800", "a\nb", "\0", "../../x", "=1+1", "x" * 300]
    ),
    st.text(max_size=12),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def mutated_bytes(draw: st.DrawFn, sound: tuple[bytes, ...]) -> bytes:
    """Draw a sound file with some of its bytes changed, cut, doubled or put in."""
    data = bytearray(draw(st.sampled_from(sound)))
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(data)))
        size = draw(st.integers(0, 40))
        kind = draw(st.integers(0, 5))
        if kind == 0 and start < len(data):
            data[start] = draw(st.integers(0, 255))
        elif kind == 1:
            del data[start : start + size]
        elif kind == 2:
            data[start:start] = data[start : start + size]
        elif kind == 3:
            data[start : start + size] = draw(st.binary(max_size=16))
        elif kind == 4:
            data[start:start] = draw(st.sampled_from(_TOKENS))
        else:
            del data[start:]
    return bytes(data)


@st.composite
def mutated_json(draw: st.DrawFn, sound: tuple[bytes, ...]) -> bytes:
    """Draw a sound file of JSON lines in which values are others, or are missing, or are more."""
    lines = [json.loads(line) for line in draw(st.sampled_from(sound)).splitlines()]
    for _ in range(draw(st.integers(1, 3))):
        place: Any = lines
        key: Any = draw(st.integers(0, len(lines) - 1))
        while isinstance(place[key], list | dict) and place[key] and draw(st.integers(0, 3)):
            place = place[key]
            key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        change = draw(st.integers(0, 4))
        if change == 0 and place is not lines:
            del place[key]
        elif change == 1 and isinstance(place, dict):
            place[draw(st.text(max_size=5))] = copy.deepcopy(place[key])
        elif change == 2 and isinstance(place, list) and place is not lines:
            place.append(draw(values))
        else:
            place[key] = draw(values)
        if not lines:
            break
    return "\n".join(json.dumps(line) for line in lines).encode("utf-8", "surrogatepass")


def inputs_of(name: str) -> st.SearchStrategy[bytes]:
    """Return what a target is fed with."""
    from tests.faults.fuzz_targets import AS_JSON, SEEDS

    changed = mutated_bytes(SEEDS[name])
    return st.one_of(mutated_json(SEEDS[name]), changed) if name in AS_JSON else changed


# --- the command --------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="run these, with --target")
    parser.add_argument("--minutes", type=float, default=5.0, help="of a processor's time")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time, with atheris")
    parser.add_argument("--engine", choices=ENGINES, default="hypothesis")
    parser.add_argument("--target", action="append", help="only this one; repeat")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--one", help=argparse.SUPPRESS)  # atheris needs a process for each target
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for kind in ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "STATE_HOME"):
            os.environ[f"XDG_{kind}"] = home
        logging.disable(logging.CRITICAL)
        if args.one:
            _atheris(args.one, args.minutes, args.findings)
        from tests.faults.fuzz_targets import TARGETS, run

        names = args.target or list(TARGETS)
        if args.files:
            for path in args.files:
                run(names[0], path.read_bytes())
                print(f"{path}: nothing found")
            return 0
        return _with_atheris(names, args) if args.engine == "atheris" else _with_hypothesis(names, args)


def _with_hypothesis(names: list[str], args: argparse.Namespace) -> int:
    runs, found = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    end, number = time.process_time() + 60 * args.minutes, args.seed
    while time.process_time() < end:
        for name in names:
            number += 1
            fed, error = _batch(name, number)
            runs[name] += len(fed)
            if error is not None:
                found[name] += 1
                _keep(args.findings, name, fed[-1], error)
    print(json.dumps({"seconds": round(60 * args.minutes), "runs": runs, "findings": found}))
    note("fuzz_hypothesis_hours", time.process_time() / 3600)
    note("fuzz_hypothesis_inputs", sum(runs.values()))
    note("fuzz_hypothesis_findings", sum(found.values()))
    return 1 if any(found.values()) else 0


def _batch(name: str, number: int) -> tuple[list[bytes], Exception | None]:
    """Run one batch; returns what was fed, and what was found with the last of it."""
    from tests.faults.fuzz_targets import run

    fed: list[bytes] = []

    @seed(number)
    @settings(
        max_examples=_BATCH,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(inputs_of(name))
    def feed(data: bytes) -> None:
        fed.append(data)
        run(name, data)

    try:
        feed()
    except Exception as error:
        return fed, error
    return fed, None


def _keep(folder: Path, name: str, data: bytes, error: BaseException) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}"
    path.write_bytes(data)
    says = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    print(f"{path}: {says}", file=sys.stderr, flush=True)


def _with_atheris(names: list[str], args: argparse.Namespace) -> int:
    each = partial(_in_its_own_process, minutes=args.minutes / len(names), findings=args.findings)
    with ThreadPoolExecutor(args.jobs) as several:
        outcomes = list(several.map(each, names))
    bad = sum(found for found, _ in outcomes)
    print(json.dumps({"targets": len(names), "with findings": bad}))
    note("fuzz_atheris_hours", sum(spent for _, spent in outcomes) / 60)
    note("fuzz_atheris_findings", bad)
    return 1 if bad else 0


def _in_its_own_process(name: str, *, minutes: float, findings: Path) -> tuple[bool, float]:
    """Fuzz one target; return whether there is a finding, and the minutes of a processor's time."""
    before, spent, status = set(findings.glob(f"{name}-*")), 0.0, 0
    while status == 0 and minutes - spent > 1 / 60:  # the library counts the time on the clock
        own = [sys.executable, __file__, "--one", name, "--minutes", str(minutes - spent)]
        child = subprocess.Popen([*own, "--findings", str(findings)])
        _, status, used = os.wait4(child.pid, 0)
        spent += (used.ru_utime + used.ru_stime) / 60
    return status != 0 or set(findings.glob(f"{name}-*")) != before, spent


def _atheris(name: str, minutes: float, findings: Path) -> None:
    """Fuzz one target for minutes on the clock, or until it takes the process with it; does not return."""
    import atheris

    with atheris.instrument_imports(include=["companion", "datasets", "engine", "vision"]):
        from tests.faults.fuzz_targets import SEEDS, run

    findings.mkdir(parents=True, exist_ok=True)
    corpus = Path(tempfile.mkdtemp(prefix="corpus-"))
    for number, data in enumerate(SEEDS[name]):
        (corpus / str(number)).write_bytes(data)
    options = [f"-max_total_time={max(1, round(60 * minutes))}", "-max_len=20000", "-print_final_stats=0"]
    known: set[tuple[str, ...]] = set()

    def feed(data: bytes) -> None:
        try:
            run(name, data)
        except Exception as error:
            # The library would end at the first; of each kind, by where it comes from, one is kept.
            places = [
                f"{place.filename}:{place.lineno}" for place in traceback.extract_tb(error.__traceback__)
            ]
            kind = (type(error).__name__, *places[-3:])
            if kind not in known:
                known.add(kind)
                _keep(findings, name, data, error)

    atheris.Setup([name, *options, f"-artifact_prefix={findings}/{name}-", str(corpus)], feed)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
