"""`shithead completion`: let the shell complete commands, options and rulesets at the Tab key."""

from __future__ import annotations

import argparse
import os
from typing import Any

from companion.cli.arguments import ruleset


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "completion",
        help="print the script with which your shell completes commands and options",
        description='For bash and zsh add `eval "$(shithead completion bash)"` (or zsh) to the file that the '
        "shell reads at its start. For fish run: shithead completion fish > "
        "~/.config/fish/completions/shithead.fish",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["shithead"], shell=args.shell))
    return 0


def asked_by_shell() -> bool:
    """Return whether the shell asks what could come next."""
    return "_ARGCOMPLETE" in os.environ


def answer_shell(parser: argparse.ArgumentParser, **how: Any) -> None:
    """If the shell asks for completions, answer and exit. `how` goes to `argcomplete.autocomplete`."""
    if not asked_by_shell():
        return
    import argcomplete

    argcomplete.autocomplete(parser, default_completer=_rulesets_and_files, **how)  # type: ignore[arg-type]


def _rulesets_and_files(*, prefix: str, action: argparse.Action, **_: Any) -> list[str]:
    from argcomplete.completers import FilesCompleter

    from companion.game.house_variants import house_variants
    from engine.ruleset import RULESET_NAMES, VARIANT_NAMES

    files = FilesCompleter()(prefix)
    if action.type is not ruleset:
        return list(files)
    return [*RULESET_NAMES, *VARIANT_NAMES, *(variant.path.stem for variant in house_variants()), *files]
