"""Rulesets: their mechanics, and the rules that rulings cite.

A ruleset is a TOML file. The package contains five (`RULESET_NAMES`) and the variants that their texts
publish (`VARIANT_NAMES`). A house variant is a file of your own that builds on one of the five:

    name = "Friday rules"
    base = "jokers"
    options = ["q-reverse"]
    [mechanics]                 # optional: any field of `engine.mechanics.Mechanics`
    limits = ["9"]
    [rules."nine.or-lower"]     # optional: rules of your own
    quote = "After a 9, play a 9 or lower."
    decides = ["too_high.9"]

A rule lists the mechanisms that it decides (`decides`). A mechanism that depends on a rank ends in that rank:
`too_high.7`. A rule may require values of mechanics (`states`), or that a variant does not set some fields
(`unchanged`). If a variant breaks these conditions, the rule does not describe its game, and no ruling quotes
it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.files.atomic import write_whole
from engine.files.bounded import read_capped
from engine.mechanics import Mechanics, mechanic_value, read_mechanics
from engine.messages import Said, message

RULESET_NAMES = ("winnersh", "jokers", "backpacker", "shed", "rulebook")
VARIANT_NAMES = ("jokers-extensions", "backpacker-computer", "backpacker-alternative", "shed-extreme")
"""Variants that the rule texts themselves publish. They are loaded by name, like rulesets."""
_PUBLISHED = frozenset((*RULESET_NAMES, *VARIANT_NAMES))
DEFAULT_RULESET = "winnersh"
MOST_QUOTED_WORDS = 25
"""The most words in a quote."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its quote, its source and its meaning."""

    id: str
    """Stable name: `play.equal-or-higher`."""
    cite: str
    """Ruleset and section: `Winnersh §5`."""
    quote: str
    """The deciding sentence, word for word, with at most `MOST_QUOTED_WORDS` words."""
    text: str
    """The rule in the project's own words."""
    decides: tuple[str, ...] = ()
    """The mechanisms that the sentence describes."""


@dataclass(frozen=True, slots=True)
class Option:
    """A named switch of a ruleset for another reading of its text."""

    name: str
    text: str
    mechanics: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A ruleset with its options applied. Rulesets are compared by identity, because each is loaded once."""

    name: str
    """One of `RULESET_NAMES` or `VARIANT_NAMES`, or the house variant's name."""
    base: str
    """The ruleset that it builds on."""
    title: str
    seed: str
    """The number of its rule text."""
    source: str
    """The title of its rule text."""
    differs: tuple[str, ...]
    """One sentence for each difference from its base, or from the other rulesets."""
    players: tuple[int, int]
    """The fewest and the most players."""
    options: tuple[str, ...]
    """The options switched on, in alphabetical order."""
    available: Mapping[str, Option]
    mechanics: Mechanics
    rules: Mapping[str, Rule]
    """Every rule whose sentence describes this game."""
    changes: Mapping[str, Any]
    """The `[mechanics]` table of a house variant's file."""
    own_rules: Mapping[str, Any] = field(default_factory=dict)
    """The `[rules]` table of a house variant's file."""
    deciding: Mapping[str, Rule] = field(default_factory=dict)
    """By mechanism (`too_low`, `turn`, `too_low.10`, ...): the rule that decides."""

    def rule_for(self, mechanism: str, *more: str) -> Rule:
        """Return the rule on the first of the named mechanisms that has one.

        If none has a rule, a house variant switched the mechanism on, and the returned rule cites the
        variant.
        """
        rule = self.find_rule(mechanism, *more)
        if rule is not None:
            return rule
        name = mechanism.partition(".")[0].replace("_", "-")
        text = "The players of this table have agreed on this."
        return Rule(
            f"house.{name}", f"{self.title}, house rules", "Agreed at this table.", text, (mechanism,)
        )

    def find_rule(self, *mechanisms: str) -> Rule | None:
        """Return the rule on the first of the named mechanisms that has one, else None."""
        return next((self.deciding[name] for name in mechanisms if name in self.deciding), None)


def load_ruleset(name_or_path: str | Ruleset = DEFAULT_RULESET, options: Sequence[str] = ()) -> Ruleset:
    """Return a ruleset or published variant by name, or a house variant by the path of its file (`*.toml`).

    Raises:
        BadInputError: there is no such ruleset or option, or the variant's file is damaged.
    """
    if isinstance(name_or_path, Ruleset):
        return name_or_path
    if not isinstance(name_or_path, str):
        raise BadInputError("the name of a ruleset must be text, not {name!r}", name=str(name_or_path)[:40])
    wanted = tuple(sorted(set(options))) if options else ()
    if name_or_path.endswith(".toml"):
        return _load_variant(Path(name_or_path), wanted)
    return _load_named(ruleset_name(name_or_path), wanted)


def ruleset_name(text: str) -> str:
    """Return a ruleset's or published variant's name as it is written, typed in any case; else the text."""
    name = text.strip().casefold()
    return name if name in _PUBLISHED else text


def published_rulesets() -> list[dict[str, Any]]:
    """Return every ruleset and published variant: name, title, based_on (or None), differs, source."""
    found = []
    for name in (*RULESET_NAMES, *VARIANT_NAMES):
        rules = load_ruleset(name)
        found.append(
            {
                "name": name,
                "title": rules.title,
                "based_on": None if rules.base == name else rules.base,
                "differs": list(rules.differs),
                "source": rules.source,
            }
        )
    return found


@lru_cache(maxsize=256)
def _load_named(name: str, options: tuple[str, ...]) -> Ruleset:
    if name in VARIANT_NAMES:
        return build_variant(_package_file(f"variants/{name}"), name, options)
    if name not in RULESET_NAMES:
        known = ", ".join((*RULESET_NAMES, *VARIANT_NAMES))
        raise BadInputError("ruleset {name!r} is not one of: {known}", name=name[:40], known=known)
    return _build(name, _package_file(name), options)


@lru_cache(maxsize=16)
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
            "house variant {path} is not readable as TOML: {reason}", path=path, reason=_toml_fault(error)
        ) from None
    try:
        return build_variant(data, default_name=path.stem, options=options)
    except BadInputError as error:
        raise BadInputError("house variant {path}: {reason}", path=path, reason=error) from None


def _toml_fault(error: ValueError) -> Said:
    """Return the fault of a text in plain words, without the terms of the parser."""
    if isinstance(error, UnicodeDecodeError):
        return message("it is not UTF-8 text")
    found = re.search(r"at line (\d+), column (\d+)", str(error))
    if found:
        return message("line {line}, column {column} cannot be read", line=found[1], column=found[2])
    ended = "end of document" in str(error)
    return message("its end cannot be read") if ended else message("a number is too long")


_VARIANT_ENTRIES = ("name", "base", "options", "mechanics", "rules", "title", "source", "differs")


def build_variant(data: Mapping[str, Any], default_name: str, options: Sequence[str] = ()) -> Ruleset:
    """Build a variant from the table in its file.

    Args:
        data: the table, with the entries in `_VARIANT_ENTRIES`; only `base` is required.
        default_name: the name of the variant if the table has none.
        options: options to apply in addition to those of the table.

    Raises:
        BadInputError: the base, an option, a mechanism or a rule is unknown or has the wrong form.
    """
    unknown = sorted(set(data) - set(_VARIANT_ENTRIES))
    if unknown:
        known = ", ".join(_VARIANT_ENTRIES)
        raise BadInputError("unknown entry {entry!r} (known: {known})", entry=unknown[0], known=known)
    base, name = data.get("base"), data.get("name", default_name)
    if base is None:
        raise BadInputError("it names no base (one of: {known})", known=", ".join(RULESET_NAMES))
    if base not in RULESET_NAMES:
        raise BadInputError(
            "base {base!r} is not one of: {known}", base=str(base)[:40], known=", ".join(RULESET_NAMES)
        )
    own = data.get("options", [])
    if not _is_texts(own):
        raise BadInputError("options must be a list of names")
    mechanics = data.get("mechanics", {})
    if not isinstance(mechanics, dict):
        raise BadInputError("mechanics must be a table")
    title = data.get("title", name)
    for text in (name, title):
        if not isinstance(text, str) or not text.strip() or not text.isprintable():
            raise BadInputError("name must be one line of text")
    differs, source = data.get("differs", []), data.get("source", "")
    if not _is_texts(differs) or not isinstance(source, str):
        raise BadInputError("differs must be a list of sentences, and source text")
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise BadInputError("rules must be a table")
    return _build(
        str(base),
        _package_file(str(base)),
        tuple(sorted({*own, *options})),
        _Variant(name, title, source, tuple(differs), mechanics, rules),
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


@dataclass(frozen=True, slots=True)
class _Variant:
    """The differences between a variant and its base, except options."""

    name: str
    title: str
    source: str
    differs: tuple[str, ...]
    changes: Mapping[str, Any]
    rules: Mapping[str, Any]


def _build(
    base: str, data: Mapping[str, Any], options: tuple[str, ...], variant: _Variant | None = None
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
    changes = variant.changes if variant is not None else {}
    mechanics = read_mechanics(table | dict(changes))
    rules: dict[str, Rule] = {}
    for key, entry in data["rules"].items():
        if _describes(entry, mechanics, changes):
            rules[key] = Rule(key, entry["cite"], entry["quote"], entry["text"], tuple(entry["decides"]))
    if variant is not None:
        rules |= _own_rules(variant, mechanics)
    low, high = data["players"]
    return Ruleset(
        name=variant.name if variant is not None else base,
        base=base,
        title=variant.title if variant is not None else data["title"],
        seed=data["seed"],
        source=variant.source if variant is not None else data["source"],
        differs=variant.differs if variant is not None else tuple(data["differs"]),
        players=(low, high),
        options=options,
        available=available,
        mechanics=mechanics,
        rules=rules,
        changes=dict(changes),
        own_rules=variant.rules if variant is not None else {},
        deciding={mechanism: rule for rule in rules.values() for mechanism in rule.decides},
    )


def _describes(entry: Mapping[str, Any], mechanics: Mechanics, changes: Mapping[str, Any]) -> bool:
    """Return whether a rule's sentence is true of a game with these mechanics."""
    if not set(changes).isdisjoint(entry.get("unchanged", ())):
        return False
    for name, value in entry.get("states", {}).items():
        stated, found = mechanic_value(name, value), getattr(mechanics, name)
        if isinstance(found, frozenset) and not stated <= found:
            return False
        if isinstance(found, dict) and not stated.items() <= found.items():
            return False
        if not isinstance(found, frozenset | dict) and stated != found:
            return False
    return True


def _own_rules(variant: _Variant, mechanics: Mechanics) -> dict[str, Rule]:
    """Read the `[rules]` table of a variant."""
    rules = {}
    for key, entry in variant.rules.items():
        wrong = BadInputError(
            "rule {key!r} needs a quote of at most {most} words and a list decides",
            key=key[:40],
            most=MOST_QUOTED_WORDS,
        )
        if not isinstance(entry, dict) or not _is_texts(entry.get("decides")):
            raise wrong
        quote = entry.get("quote")
        texts = [quote, entry.get("text", quote), entry.get("cite", "")]
        if not all(isinstance(text, str) and (not text or text.isprintable()) for text in texts):
            raise wrong
        if not quote or not 1 <= len(quote.split()) <= MOST_QUOTED_WORDS:
            raise wrong
        if _describes(entry, mechanics, {}):
            cite = entry.get("cite") or f"{variant.title}, house rules"
            rules[key] = Rule(key, cite, str(quote), str(texts[1]), tuple(entry["decides"]))
    return rules


def breach_rules(sentence: str) -> dict[str, Any]:
    """Return the `[rules]` table in which `sentence` says what follows a breach; empty if it is empty."""
    return {"house.breach": {"quote": sentence, "decides": ["breach"]}} if sentence else {}


def save_variant(path: Path, name: str, base: str, options: Sequence[str] = (), breach: str = "") -> None:
    """Write the file of a house variant: a ruleset with options, under a new name.

    Args:
        path: the file.
        name: the name of the variant.
        base: the ruleset that it builds on.
        options: the options that it switches on.
        breach: what follows a breach, in one sentence; empty: nothing is agreed.

    Raises:
        BadInputError: the base or an option is unknown, or the sentence is too long; nothing is written.
        OSError: the file cannot be written.
    """
    rules = breach_rules(breach)
    build_variant({"name": name, "base": base, "options": list(options), "rules": rules}, default_name=name)
    lines = [f"name = {_toml_text(name)}", f"base = {_toml_text(base)}"]
    lines.append(f"options = [{', '.join(_toml_text(option) for option in options)}]")
    for key, rule in rules.items():
        decides = ", ".join(map(_toml_text, rule["decides"]))
        lines += [f"[rules.{_toml_text(key)}]", f"quote = {_toml_text(rule['quote'])}"]
        lines.append(f"decides = [{decides}]")
    write_whole(path, "\n".join(lines) + "\n")


def _toml_text(text: str) -> str:
    """Return a printable text as a TOML string, which then has the same escapes as a JSON string."""
    return json.dumps(text, ensure_ascii=False)
