"""The invitation lets phones in: two secrets, one for the phone that films and one for the screens.

They are kept for an evening, so that a restarted program is found again by the phones that were there.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from companion.phone.certificate import write_private
from engine.files.atomic import make_folder
from engine.files.json_text import parse_json

Role = Literal["film", "view"]
"""The right that a secret gives: to film and see, or only to see."""
EVENING_S = 12 * 3600.0
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Letters and digits that nobody confuses when they type an address."""
_GROUPS, _GROUP = 4, 4


@dataclass(frozen=True, slots=True)
class Invitation:
    """The secrets of one evening."""

    film: str
    view: str
    made: float
    """Seconds since 1970."""

    def role(self, secret: str) -> Role | None:
        """Return what a secret allows; None if it is none of these. Every answer takes equally long."""
        given = secret.encode("utf-8", "surrogatepass")
        films = hmac.compare_digest(given, self.film.encode())
        views = hmac.compare_digest(given, self.view.encode())
        return "film" if films else "view" if views else None


def new_invitation() -> Invitation:
    """Return new secrets of 79 random bits each."""

    def secret() -> str:
        groups = ("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))
        return "-".join(groups)

    return Invitation(secret(), secret(), time.time())


def evening_invitation(path: Path) -> Invitation:
    """Return the secrets in a file, or new ones if they are missing, damaged or of another evening.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        stored = parse_json(path.read_bytes())
        kept = Invitation(str(stored["film"]), str(stored["view"]), float(stored["made"]))
        sound = all(_is_secret(secret) for secret in (kept.film, kept.view)) and kept.film != kept.view
        if sound and 0 <= time.time() - kept.made < EVENING_S:
            return kept
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        pass
    fresh = new_invitation()
    make_folder(path.parent)
    write_private(path, json.dumps(asdict(fresh)).encode())
    return fresh


def _is_secret(text: str) -> bool:
    groups = text.split("-")
    return len(groups) == _GROUPS and all(
        len(group) == _GROUP and set(group) <= set(_LETTERS) for group in groups
    )
