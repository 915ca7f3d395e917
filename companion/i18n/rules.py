"""What a ruleset says of itself, in the language in force: rules, the sentences they rest on, options.

The English sentences decide, and they alone are written down; a translation is made where one is shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.i18n.catalogue import _, gettext_noop
from engine.explain import topics
from engine.ruleset import RULESET_NAMES, Ruleset, load_ruleset

_HOUSE = ", house rules"
_HOUSE_CITE = gettext_noop("{title}, house rules")


def rule_texts() -> Iterator[str]:
    """Yield every text of the rulesets that ship, for the catalogue of translations."""
    for name in RULESET_NAMES:
        ruleset = load_ruleset(name)
        yield from topics(ruleset)
        for rule in (*ruleset.rules.values(), ruleset.rule_for("agreed")):
            yield rule.text
            yield rule.quote
        for option in ruleset.available.values():
            yield option.text


def options_text(ruleset: Ruleset) -> str:
    """Return which house options are in force, by what they say; empty where none is."""
    chosen = " ".join(_(ruleset.available[name].text) for name in ruleset.options)
    return _("House options: {options}").format(options=chosen) if chosen else ""


def quotation(quote: str) -> str:
    """Return a sentence that decides, in the language in force and in its quotation marks."""
    # The sources mark emphasis with underscores.
    return _("“{text}”").format(text=_(quote).replace("_", ""))


def citation_text(cite: str) -> str:
    """Return where a rule stands; rules that only one table has stand in no text."""
    if cite.endswith(_HOUSE):
        return _(_HOUSE_CITE).format(title=cite.removesuffix(_HOUSE))
    return cite
