"""Change the engine in one small place at a time, and see whether a test notices.

    .venv/bin/python scripts/mutation_check.py --every 7 --log out/mutants.txt

A number is moved by a quarter (by one at least), a comparison is turned. Each changed module is tested in a
process of its own. The log gets one line per change, `killed` or `survived`. A second run goes on where the
log ends.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
UNITS = "tests/unit/engine"
TESTS = ("tests/replay/test_golden.py", UNITS)
"""The golden files come first: they notice many changes within a second."""
SLOW = "tests/properties"
"""They run last: nearly all changes fail another test first."""
SOON_S, PATIENCE_S = 30, 150
"""Longest times of the tests that bear the module's name, which come before all others, and of all tests.
They count the processor's time, not the clock's, so that a busy machine kills no change."""
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to one file."""

    path: Path
    """Relative to the repository."""
    line: int
    column: int
    before: str
    after: str
    source: str
    """The whole changed file."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column + 1} {self.before} -> {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every change to a file, in the order of its lines."""
    source = (ROOT / path).read_text("utf-8")
    expressions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr)]
    for node in sorted(expressions, key=lambda node: (node.lineno, node.col_offset)):
        for changed in _changed(node):
            before, after = ast.unparse(node), ast.unparse(changed)
            yield Mutant(
                path, node.lineno, node.col_offset, before, after, _replaced(source, node, f"({after})")
            )


def _changed(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        if not isinstance(node.value, bool):
            yield ast.copy_location(ast.Constant(_moved(node.value)), node)
    elif isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            if type(operator) in TURNED:
                turned = [*node.ops[:at], TURNED[type(operator)](), *node.ops[at + 1 :]]
                yield ast.copy_location(ast.Compare(node.left, turned, node.comparators), node)


def _moved(number: float) -> float:
    if isinstance(number, int):
        return number + max(1, round(number / 4))
    return number * 1.25 or 0.25


def _replaced(source: str, node: ast.expr, text: str) -> str:
    """Return the source with one expression replaced. The parser counts columns in bytes."""
    lines = source.encode().splitlines(keepends=True)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = source.encode()
    return (whole[:start] + text.encode() + whole[end:]).decode()


class _MutantLoader(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    """Loads one module from changed source."""

    def __init__(self, name: str, source: str, is_package: bool) -> None:
        self._name, self._source, self._is_package = name, source, is_package

    def find_spec(
        self, fullname: str, _path: object, _target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self._is_package)

    def exec_module(self, module: ModuleType) -> None:
        if self._is_package:
            module.__path__ = [str(ROOT / self._name.replace(".", "/"))]
        exec(compile(self._source, str(self._name), "exec"), module.__dict__)


def is_killed(mutant: Mutant) -> bool:
    """Run the tests on a changed engine, in a process of its own. Tests that never end noticed it too."""
    import hypothesis  # noqa: F401 - imported once, not by each child
    import pytest  # noqa: F401

    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SOON_S, PATIENCE_S))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        os._exit(_test(mutant))
    _, status = os.waitpid(child, 0)
    return status != 0


def _test(mutant: Mutant) -> int:
    import pytest

    parts = mutant.path.with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    sys.meta_path.insert(0, _MutantLoader(name, mutant.source, is_package))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0"]
    named = [str(file) for part in parts[1:] for file in sorted(Path(UNITS).glob(f"test_{part}*.py"))]
    if named and pytest.main([*options, *named]):
        return 1
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S, PATIENCE_S))
    first = pytest.main([*options, *TESTS])
    return int(first) or int(pytest.main([*options, SLOW]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Try every N-th change and print how many survived."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--every", metavar="N", type=int, default=1, help="try only every N-th change")
    parser.add_argument("--log", metavar="FILE", type=Path, default=ROOT / "out" / "mutants.txt")
    parser.add_argument(
        "files", metavar="FILE", type=Path, nargs="*", help="files of the engine (default: all)"
    )
    args = parser.parse_args(arguments)
    os.chdir(ROOT)
    files = args.files or sorted(path.relative_to(ROOT) for path in (ROOT / "engine").rglob("*.py"))
    chosen = [mutant for path in files for mutant in mutants_of(path)][:: args.every]
    args.log.parent.mkdir(parents=True, exist_ok=True)
    known = set(args.log.read_text("utf-8").splitlines()) if args.log.exists() else set()
    survived = 0
    with args.log.open("a", encoding="utf-8", buffering=1) as log:
        for mutant in chosen:
            if f"killed {mutant}" in known:
                continue
            if f"survived {mutant}" not in known:
                killed = is_killed(mutant)
                log.write(f"{'killed' if killed else 'survived'} {mutant}\n")
                if killed:
                    continue
            survived += 1
            print(f"survived {mutant}", flush=True)
    print(f"{survived} of {len(chosen)} changes survived")


if __name__ == "__main__":
    main()
