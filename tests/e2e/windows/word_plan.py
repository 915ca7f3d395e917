"""Which screens `worded.py` looks at, in which language and size of type.

German has the longest words, so it is looked at in the normal and in the largest type. At the size between
them, each screen is looked at in one of the two languages. English in the normal type is looked at while the
window is turned (see `turning.py`).
"""

from __future__ import annotations

SHOWN = (
    "tonight",
    "who begins",
    "by hand",
    "toast",
    "table",
    "question",
    "player",
    "correct",
    "correct the end",
    "large",
    "log",
    "event",
    "put right",
    "event of old",
    "replay",
    "rules",
    "ask",
    "ledger",
    "songs",
    "deck",
    "more",
    "erase",
    "tour",
)
TYPE_SCALES = (("de", 1.0), ("en", 1.3), ("de", 1.3), ("de", 2.0))
USUAL, LARGEST = "de 1.0", "de 2.0"


def looked_at(language: str, type_scale: float) -> tuple[str, ...]:
    """Return the screens that are looked at in a language and size of type."""
    if type_scale != 1.3:
        return SHOWN
    return SHOWN[0::2] if language == "en" else SHOWN[1::2]


LOOKS = {f"{language} {scale}": looked_at(language, scale) for language, scale in TYPE_SCALES}
