"""`shithead completion`: commands and options that the shell completes at the Tab key."""

from __future__ import annotations

import argparse
from typing import Any

_SHELLS = ("bash", "zsh", "fish")
_BASH = """\
_shithead() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    if [[ $current == -* || $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _shithead shithead
"""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "completion",
        help="print what your shell needs to complete commands and options",
        description='For bash and zsh add `eval "$(shithead completion bash)"` (or zsh) to the file that the '
        "shell reads at its start; for fish: shithead completion fish > "
        "~/.config/fish/completions/shithead.fish",
    )
    parser.add_argument("shell", choices=_SHELLS)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from companion.cli import build_parser

    commands = _commands(build_parser())
    print(_fish(commands) if args.shell == "fish" else _posix(commands, args.shell), end="")
    return 0


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[str, dict[str, str]]]:
    """Return each command's help and its options or sub-commands, each with its help."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        says = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, command in action.choices.items():
            words = {option: (act.help or "") for act in command._actions for option in _words_of(act)}
            found[name] = (says.get(name, ""), words)
    return found


def _words_of(action: argparse.Action) -> list[str]:
    if action.option_strings:
        return [option for option in action.option_strings if option.startswith("--")]
    return [str(choice) for choice in action.choices] if action.choices else []


def _posix(commands: dict[str, tuple[str, dict[str, str]]], shell: str) -> str:
    offered = {name: " ".join(words) for name, (_says, words) in commands.items()}
    cases = "\n".join(f'        {name}) words="{words}" ;;' for name, words in offered.items())
    script = _BASH.format(commands=" ".join(commands), cases=cases)
    # zsh understands bash's own form once it is told to.
    return ("autoload -Uz bashcompinit && bashcompinit\n" if shell == "zsh" else "") + script


def _fish(commands: dict[str, tuple[str, dict[str, str]]]) -> str:
    lines = []
    for name, (says, words) in commands.items():
        lines.append(f"complete -c shithead -n __fish_use_subcommand -f -a {name} -d {_quoted(says)}")
        for word, meaning in words.items():
            form = f"-l {word[2:]}" if word.startswith("--") else f"-f -a {word}"
            seen = f"'__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c shithead -n {seen} {form} -d {_quoted(meaning % {'default': ''})}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
