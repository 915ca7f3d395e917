"""Plain words for wrong arguments. The standard library's own messages are made for programmers."""

from __future__ import annotations

import re
from difflib import get_close_matches

_KINDS = {"int": "a whole number", "float": "a number"}
"""How types are called that a value may not have."""


def usage_fault(message: str) -> str:
    """Return one line for the user that names the argument and what is wrong with it.

    Args:
        message: What `argparse.ArgumentParser.error` gets, in English.
    """
    line = " ".join(message.split())
    for pattern, says in _PLAIN:
        found = re.fullmatch(pattern, line)
        if found is not None:
            return says(found)
    return re.sub(r"^argument (\S+): ", r"\1: ", line)


def _required(found: re.Match[str]) -> str:
    names = found[1].split(", ")
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} missing"


def _wrong_choice(found: re.Match[str]) -> str:
    name, value, known = found[1], found[2], re.findall(r"[^\s',]+", found[3])
    if name == "COMMAND":
        near = get_close_matches(value, known, 1)
        return f"there is no command {value!r}" + (f"; do you mean {near[0]}?" if near else "")
    return f"{name}: {value!r} is not one of {', '.join(known)}"


def _wrong_kind(found: re.Match[str]) -> str:
    name, kind, value = found.groups()
    return f"{name}: {value} is not {_KINDS[kind]}" if kind in _KINDS else f"{name}: {value} cannot be used"


def _needs_values(found: re.Match[str]) -> str:
    wanted = {"one": "a value", "at least one": "a value or more", "at most one": "one value at most"}
    return f"{found[1]} needs {wanted.get(found[2], f'{found[2]} values')}"


_PLAIN = (
    (r"the following arguments are required: (.+)", _required),
    (r"argument (\S+): invalid choice: '?(.*?)'? \(choose from (.+)\)", _wrong_choice),
    (r"argument (\S+): invalid (\S+) value: (.+)", _wrong_kind),
    (
        r"argument (\S+): not allowed with argument (\S+)",
        lambda found: f"{found[1]} does not go with {found[2]}",
    ),
    (r"argument (\S+): expected (.+) arguments?", _needs_values),
    (r"argument (\S+): ignored explicit argument .+", lambda found: f"{found[1]} takes no value"),
    (
        r"one of the arguments (.+) is required",
        lambda found: f"one of {', '.join(found[1].split())} is needed",
    ),
    (
        r"ambiguous option: (\S+) could match (.+)",
        lambda found: f"{found[1]} may mean {' or '.join(found[2].split(', '))}",
    ),
    (r"unrecognized arguments: (.+)", lambda found: f"not known here: {found[1]}"),
)
"""Each form of the parser's messages, and its plain words."""
