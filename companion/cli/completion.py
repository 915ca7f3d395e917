"""`shithead completion`: commands and options that the shell completes at the Tab key."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from companion.cli.arguments import ruleset

_SHELLS = ("bash", "zsh", "fish")
_BASH = """\
_shithead() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before="" offered="" files=yes
    if [ "$COMP_CWORD" -eq 1 ]; then
        offered="{commands}" files=""
    else
        before=${{COMP_WORDS[COMP_CWORD-1]}}
        # bash itself takes --rules=jokers apart at the sign
        if [ "$current" = "=" ]; then
            current=""
        elif [ "$before" = "=" ]; then
            before=${{COMP_WORDS[COMP_CWORD-2]}}
        fi
        case "${{COMP_WORDS[1]}} $before" in
{values}
        *)
            case "${{COMP_WORDS[1]}}" in
{cases}
            esac
            ;;
        esac
        if [[ $current == -* ]]; then files=""; fi
    fi
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
    if [ -n "$files" ]; then
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _shithead shithead
"""


@dataclass(frozen=True, slots=True)
class _Value:
    """What may stand after an option."""

    words: tuple[str, ...] = ()
    files: bool = True
    """Whether it may be a file too, or anything else."""


@dataclass(frozen=True, slots=True)
class _Command:
    """What may stand after a command."""

    says: str
    words: dict[str, str]
    """Options, sub-commands and the names that an argument may be, each with its help."""
    values: dict[str, _Value]
    """Of each option that wants one."""


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
    from companion.cli.main import build_parser

    commands = _commands(build_parser())
    print(_fish(commands) if args.shell == "fish" else _posix(commands, args.shell), end="")
    return 0


def _commands(parser: argparse.ArgumentParser) -> dict[str, _Command]:
    """Return what may follow each command."""
    found: dict[str, _Command] = {}
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        says = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, command in action.choices.items():
            words = {word: (act.help or "") for act in command._actions for word in _words_of(act)}
            values = {
                option: _value_of(act)
                for act in command._actions
                if act.nargs not in (0, "?")
                for option in _long(act)
            }
            found[name] = _Command(says.get(name, ""), words, values)
    return found


def _words_of(action: argparse.Action) -> list[str]:
    return _long(action) if action.option_strings else list(_value_of(action).words)


def _long(action: argparse.Action) -> list[str]:
    return [option for option in action.option_strings if option.startswith("--")]


def _value_of(action: argparse.Action) -> _Value:
    from engine.ruleset import RULESET_NAMES, VARIANT_NAMES

    if action.choices:
        return _Value(tuple(map(str, action.choices)), files=False)
    return _Value((*RULESET_NAMES, *VARIANT_NAMES) if action.type is ruleset else ())


def _posix(commands: dict[str, _Command], shell: str) -> str:
    cases = "\n".join(
        f'            {name}) offered="{" ".join(command.words)}" ;;' for name, command in commands.items()
    )
    typed: dict[_Value, list[str]] = {}
    for name, command in commands.items():
        for option, value in command.values.items():
            typed.setdefault(value, []).append(f'"{name} {option}"')
    values = "\n".join(
        f'        {"|".join(where)}) offered="{" ".join(value.words)}"{"" if value.files else " files="} ;;'
        for value, where in typed.items()
    )
    script = _BASH.format(commands=" ".join(commands), values=values, cases=cases)
    # zsh understands bash's own form once it is told to.
    return ("autoload -Uz bashcompinit && bashcompinit\n" if shell == "zsh" else "") + script


def _fish(commands: dict[str, _Command]) -> str:
    lines = []
    for name, command in commands.items():
        lines.append(f"complete -c shithead -n __fish_use_subcommand -f -a {name} -d {_quoted(command.says)}")
        for word, meaning in command.words.items():
            form = f"-l {word[2:]}" if word.startswith("--") else f"-f -a {word}"
            value = command.values.get(word)
            if value is not None:
                form += " -r" if value.files else " -x"
            if value is not None and value.words:
                form += f" -a {_quoted(' '.join(value.words))}"
            seen = f"'__fish_seen_subcommand_from {name}'"
            lines.append(f"complete -c shithead -n {seen} {form} -d {_quoted(meaning % {'default': ''})}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
