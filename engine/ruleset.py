"""Rulesets: the mechanics that are on, and the sentence that each ruling rests on.

A ruleset is a TOML file. Five come with the package (`RULESET_NAMES`); a house variant is a file of
the table's own that names one of them as its base:

    name = "Friday rules"
    base = "jokers"
    options = ["q-reverse"]
    [mechanics]            # optional: any field of `engine.mechanics.Mechanics`
    min_hand = 4
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.files.atomic import write_whole
from engine.files.bounded import read_capped
from engine.mechanics import Mechanics, read_mechanics

RULESET_NAMES = ("winnersh", "jokers", "backpacker", "shed", "rulebook")
DEFAULT_RULESET = "winnersh"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what decides, where it stands, and what it means."""

    id: str
    """Stable name: `play.equal-or-higher`."""
    cite: str
    """Ruleset and section: `Winnersh §5`."""
    quote: str
    """The deciding sentence, word for word, at most 25 words."""
    text: str
    """The rule in our own words."""


@dataclass(frozen=True, slots=True)
class Option:
    """A house option that can be switched on."""

    name: str
    text: str
    mechanics: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A ruleset with its options applied. Compared by identity: each is loaded once."""

    name: str
    """Its own name: one of `RULESET_NAMES`, or the variant's."""
    base: str
    """The package's ruleset it rests on."""
    title: str
    seed: str
    """Number of the text it comes from."""
    players: tuple[int, int]
    """Fewest and most players."""
    options: tuple[str, ...]
    """The options switched on, in alphabetical order."""
    available: Mapping[str, Option]
    mechanics: Mechanics
    rules: Mapping[str, Rule]
    changes: Mapping[str, Any]
    """Mechanics that a house variant sets itself, as in its file."""
    deciding: Mapping[str, Rule]
    """The rule that decides, by mechanism (`too_low`, `turn`, `too_low.10`, ...)."""

    def rule_for(self, mechanism: str, *more: str) -> Rule:
        """Return the rule that decides; the first of the named mechanisms that the ruleset speaks of.

        A house variant may switch on what its base does not speak of: that is the table's own rule.
        """
        rule = self.find_rule(mechanism, *more)
        if rule is not None:
            return rule
        name = mechanism.partition(".")[0].replace("_", "-")
        text = "The players of this table have agreed on this."
        return Rule(f"house.{name}", f"{self.title}, house rules", "Agreed at this table.", text)

    def find_rule(self, *mechanisms: str) -> Rule | None:
        """Return the rule on the first of the mechanisms that the ruleset speaks of, if on any."""
        for name in mechanisms:
            if name in self.deciding:
                return self.deciding[name]
        return None


def load_ruleset(name_or_path: str | Ruleset = DEFAULT_RULESET, options: Sequence[str] = ()) -> Ruleset:
    """Return a ruleset by its name, or a house variant by the path of its file (`*.toml`).

    Raises:
        BadInputError: there is no such ruleset or option, or the variant's file is damaged.
    """
    if isinstance(name_or_path, Ruleset):
        return name_or_path
    if not isinstance(name_or_path, str):
        raise BadInputError("a ruleset is named by text, not {name!r}", name=str(name_or_path)[:40])
    wanted = tuple(sorted(set(options)))
    if name_or_path.endswith(".toml"):
        return _load_variant(Path(name_or_path), wanted)
    return _load_named(name_or_path, wanted)


@lru_cache(maxsize=256)
def _load_named(name: str, options: tuple[str, ...]) -> Ruleset:
    if name not in RULESET_NAMES:
        raise BadInputError(
            "ruleset {name!r} is not one of: {known}", name=name[:40], known=", ".join(RULESET_NAMES)
        )
    return _build(name, name, _package_file(name), options, {})


@lru_cache(maxsize=8)
def _package_file(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("engine.rulesets").joinpath(f"{name}.toml").read_text("utf-8"))


def _load_variant(path: Path, options: tuple[str, ...]) -> Ruleset:
    try:
        read = read_capped(path)
    except OSError as error:
        raise BadInputError(
            "house variant {path}: {reason}", path=path, reason=error.strerror or error
        ) from None
    try:
        data = tomllib.loads(read.decode("utf-8").replace("\r\n", "\n"))
    except RecursionError:
        raise BadInputError("house variant {path} is nested too deeply", path=path) from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of thousands of digits
        raise BadInputError(
            "house variant {path} is not readable as TOML: {reason}", path=path, reason=error
        ) from None
    try:
        return build_variant(data, default_name=path.stem, options=options)
    except BadInputError as error:
        raise BadInputError("house variant {path}: {reason}", path=path, reason=error) from None


def build_variant(data: Mapping[str, Any], default_name: str, options: Sequence[str] = ()) -> Ruleset:
    """Build a house variant from what its file says.

    Raises:
        BadInputError: the base, an option or a mechanism is unknown or has the wrong form.
    """
    unknown = sorted(set(data) - {"name", "base", "options", "mechanics"})
    if unknown:
        raise BadInputError(
            "unknown entry {entry!r} (known: name, base, options, mechanics)", entry=unknown[0]
        )
    base, name = data.get("base"), data.get("name", default_name)
    if base is None:
        raise BadInputError("it names no base (one of: {known})", known=", ".join(RULESET_NAMES))
    if base not in RULESET_NAMES:
        raise BadInputError(
            "base {base!r} is not one of: {known}", base=str(base)[:40], known=", ".join(RULESET_NAMES)
        )
    own = data.get("options", [])
    if not isinstance(own, list) or not all(isinstance(option, str) for option in own):
        raise BadInputError("options must be a list of names")
    mechanics = data.get("mechanics", {})
    if not isinstance(mechanics, dict):
        raise BadInputError("mechanics must be a table")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise BadInputError("name must be one line of text")
    wanted = tuple(sorted({*own, *options}))
    return _build(name, str(base), _package_file(str(base)), wanted, mechanics)


def _build(
    name: str, base: str, data: Mapping[str, Any], options: tuple[str, ...], changes: Mapping[str, Any]
) -> Ruleset:
    available = {
        key: Option(key, entry["text"], entry["mechanics"]) for key, entry in data.get("options", {}).items()
    }
    table = dict(data["mechanics"])
    for option in options:
        if option not in available:
            known = ", ".join(available) or "none"
            raise BadInputError(
                "ruleset {base!r} has no option {option!r} (it has: {known})",
                base=base,
                option=str(option)[:40],
                known=known,
            )
        table |= available[option].mechanics
    rules: dict[str, Rule] = {}
    deciding: dict[str, Rule] = {}
    for key, entry in data["rules"].items():
        rules[key] = rule = Rule(key, entry["cite"], entry["quote"], entry["text"])
        deciding |= dict.fromkeys(entry["decides"], rule)
    low, high = data["players"]
    return Ruleset(
        name=name,
        base=base,
        title=data["title"] if name == base else name,
        seed=data["seed"],
        players=(low, high),
        options=options,
        available=available,
        mechanics=read_mechanics(table | dict(changes)),
        rules=rules,
        changes=dict(changes),
        deciding=deciding,
    )


def save_variant(path: Path, name: str, base: str, options: Sequence[str] = ()) -> None:
    """Write a house variant that mixes a ruleset's options under a name of the table's own.

    Raises:
        BadInputError: the base or an option is unknown; nothing is written.
    """
    build_variant({"name": name, "base": base, "options": list(options)}, default_name=name)
    lines = [f"name = {_toml_text(name)}", f"base = {_toml_text(base)}"]
    lines.append(f"options = [{', '.join(_toml_text(option) for option in options)}]")
    write_whole(path, "\n".join(lines) + "\n")


def _toml_text(text: str) -> str:
    escaped = "".join(
        "\\" + char if char in '"\\' else char if char.isprintable() else f"\\u{ord(char):04x}"
        for char in text
    )
    return f'"{escaped}"'
