"""Rules, quotations and options of a ruleset in the current language.

The English sentences decide, and only they are stored. Translations are made for display.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.i18n.catalogue import _, gettext_noop
from engine.explain import topics
from engine.ruleset import RULESET_NAMES, Ruleset, load_ruleset
from engine.which_ruleset import question_texts

_HOUSE = ", house rules"
_HOUSE_CITE = gettext_noop("{title}, house rules")


def rule_texts() -> Iterator[str]:
    """Yield every text of the rulesets that ship, for the catalogue."""
    for name in RULESET_NAMES:
        ruleset = load_ruleset(name)
        yield from topics(ruleset)
        yield from ruleset.differs
        for rule in (*ruleset.rules.values(), ruleset.rule_for("agreed")):
            yield rule.text
            yield rule.quote
        for option in ruleset.available.values():
            yield option.text
    yield from question_texts()


def differences_text(ruleset: Ruleset) -> str:
    """Return in one line what sets a ruleset apart, or an empty text if its file does not say it.

    A house variant differs from its base by its options, and by what follows a breach.
    """
    if ruleset.differs:
        return " ".join(map(_, ruleset.differs))
    texts = _option_texts(ruleset)
    if texts:
        texts.insert(0, _("{rules}, with house options:").format(rules=load_ruleset(ruleset.base).title))
    breach = ruleset.find_rule("breach")
    if breach is not None:
        texts.append(_("After a breach: {text}").format(text=_(breach.quote)))
    return " ".join(texts)


def _option_texts(ruleset: Ruleset) -> list[str]:
    return [_(ruleset.available[name].text) for name in ruleset.options]


def options_text(ruleset: Ruleset) -> str:
    """Return the chosen house options in words, or an empty text if there are none."""
    chosen = " ".join(_option_texts(ruleset))
    return _("House options: {options}").format(options=chosen) if chosen else ""


def quotation(quote: str) -> str:
    """Return a rule's deciding sentence in the current language, in quotation marks."""
    # The sources mark emphasis with underscores.
    return _("“{text}”").format(text=_(quote).replace("_", ""))


def citation_text(cite: str) -> str:
    """Return a rule's citation, with house rules named in the current language."""
    if cite.endswith(_HOUSE):
        return _(_HOUSE_CITE).format(title=cite.removesuffix(_HOUSE))
    return cite
