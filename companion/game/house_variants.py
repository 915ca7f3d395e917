"""The house variants that people make in the app: files in a folder beside the settings.

Each is a file as `engine.ruleset` describes. The app writes its name, its base, its options, and what follows
a breach. A file that says more was written by hand. It can be played and removed here, but not changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.settings import settings_path
from engine.errors import BadInputError
from engine.files.atomic import make_folder
from engine.ruleset import (
    MOST_QUOTED_WORDS,
    RULESET_NAMES,
    VARIANT_NAMES,
    Ruleset,
    breach_rules,
    load_ruleset,
    ruleset_name,
    save_variant,
)

MOST_LETTERS = 40
"""Letters in the name of a variant."""
MOST_LETTERS_ON_BREACHES = 160
"""Letters in the sentence about breaches, so that a screen has room for it."""


@dataclass(frozen=True, slots=True)
class HouseVariant:
    """A house variant and its file."""

    path: Path
    ruleset: Ruleset | None
    """None if the file cannot be read."""

    @property
    def name(self) -> str:
        """The name that people gave it, or that of its file."""
        return self.path.stem if self.ruleset is None else self.ruleset.title

    @property
    def breach(self) -> str:
        """The sentence about what follows a breach, or an empty text."""
        rule = None if self.ruleset is None else self.ruleset.find_rule("breach")
        return "" if rule is None else rule.quote

    @property
    def may_change(self) -> bool:
        """Whether the app could write all that the file says."""
        own = {} if self.ruleset is None else self.ruleset.own_rules
        return self.ruleset is not None and not self.ruleset.changes and own == breach_rules(self.breach)


def variants_folder() -> Path:
    """Return the folder of the house variants."""
    return settings_path().parent / "house-rules"


def house_variants() -> list[HouseVariant]:
    """Return every house variant, in the order of their names."""
    found = [house_variant(path) for path in variants_folder().glob("*.toml")]
    return sorted(found, key=lambda variant: variant.name.casefold())


def house_variant(path: Path) -> HouseVariant:
    """Return the house variant of a file."""
    try:
        return HouseVariant(path, load_ruleset(str(path)))
    except BadInputError:
        return HouseVariant(path, None)


def is_house_variant(rules: str) -> bool:
    """Return whether a ruleset's name or path is the file of a variant that people made in the app."""
    return rules.endswith(".toml") and Path(rules).parent == variants_folder()


def house_rulesets() -> list[dict[str, Any]]:
    """Return the readable house variants in the form of `engine.ruleset.published_rulesets`."""
    return [
        {
            "name": variant.path.stem,
            "title": variant.name,
            "based_on": variant.ruleset.base,
            "differs": [
                *(variant.ruleset.available[name].text for name in variant.ruleset.options),
                *filter(None, [variant.breach]),
            ],
            "source": str(variant.path),
        }
        for variant in house_variants()
        if variant.ruleset is not None
    ]


def known_ruleset(text: str) -> str:
    """Return what `load_ruleset` takes for a typed name: a ruleset, or the file of a house variant.

    Case does not matter. Any other text stays unchanged, and `load_ruleset` refuses it.
    """
    named = ruleset_name(text)
    if named in (*RULESET_NAMES, *VARIANT_NAMES) or named.endswith(".toml"):
        return named
    wanted = text.strip().casefold()
    for variant in house_variants():
        if wanted in (variant.name.casefold(), variant.path.stem.casefold()):
            return str(variant.path)
    return text


def save_house_variant(
    name: str, base: str, options: Sequence[str], path: Path | None = None, breach: str = ""
) -> Path:
    """Write a house variant, and return its file.

    Args:
        name: The name that people gave it.
        base: The ruleset that it builds on.
        options: The options that it switches on.
        path: The file of the variant that is changed; None makes a new one.
        breach: What follows a breach, in one sentence; empty: nothing is agreed.

    Raises:
        BadInputError: the name is empty, too long or taken, an option is unknown, or the sentence about
            breaches is too long.
        OSError: the file cannot be written.
    """
    name = " ".join(name.split())
    if not name or not name.isprintable() or len(name) > MOST_LETTERS:
        raise BadInputError("a name has 1 to {most} letters", most=MOST_LETTERS)
    breach = " ".join(breach.split())
    if len(breach.split()) > MOST_QUOTED_WORDS or len(breach) > MOST_LETTERS_ON_BREACHES:
        raise BadInputError(
            "the rule about breaches has at most {most} words and {letters} letters",
            most=MOST_QUOTED_WORDS,
            letters=MOST_LETTERS_ON_BREACHES,
        )
    others = [variant.name for variant in house_variants() if variant.path != path]
    titles = [load_ruleset(one).title for one in (*RULESET_NAMES, *VARIANT_NAMES)]
    taken = {one.casefold() for one in (*others, *titles, *RULESET_NAMES, *VARIANT_NAMES)}
    if name.casefold() in taken:
        raise BadInputError("there are rules called {name} already", name=name)
    target = path or _new_path(name)
    make_folder(target.parent)
    save_variant(target, name, base, options, breach)
    return target


def remove_house_variant(path: Path) -> None:
    """Remove the file of a house variant. Games that were played by it stay in the store.

    Raises:
        OSError: the file cannot be removed.
    """
    path.unlink(missing_ok=True)


def _new_path(name: str) -> Path:
    """Return a file for a new variant that no other variant has."""
    stem = re.sub(r"[^\w-]+", "-", name.casefold()).strip("-_") or "rules"
    number, path = 1, variants_folder() / f"{stem}.toml"
    while path.exists():
        number += 1
        path = variants_folder() / f"{stem}-{number}.toml"
    return path
