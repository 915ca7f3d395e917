"""Addresses of streams as people type them, and the passwords in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

HIDDEN = "***"
"""Shown in the place of a password."""
_RTSP_PORTS = ("554", "8554")
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_IPV6 = r"\[[0-9a-fA-F:.]+\]"
_NAME = r"[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?"
_LOCAL = r"(?:localhost|[a-zA-Z0-9.-]+\.(?:local|lan|home|internal|box))"
_HOST = rf"(?:(?:{_IPV4}|{_IPV6}|{_LOCAL})(?::(?P<port>\d{{1,5}}))?|{_NAME}:(?P<named>\d{{1,5}}))(?:[/?].*)?"
_WITHOUT_SCHEME = re.compile(rf"(?:[^\s@:/\\]+@)?{_HOST}")
# A drive of Windows, `C:\`, is no name with a password.
_WITH_PASSWORD = re.compile(rf"[^\s@:/\\]+:(?![\\/]).*@{_HOST}", re.DOTALL)
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+:/{1,2})(.*)", re.DOTALL)
_FULL_HOST = re.compile(r"(?:\[.*\]|[^:]*[.][^:]*|localhost|[^:]+(?=:\d))(?::\d{0,5})?", re.IGNORECASE)
"""A host that cannot be the beginning of a password: it has a dot, brackets or a port."""
_PORT = re.compile(r"\d{0,5}")
_UNESCAPED_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_SECRET_FIELD = re.compile(
    r"(?<=[?&/])((?:pass(?:word|wd)?|pwd|token|secret|auth|key)=)([^&#/]+)", re.IGNORECASE
)
_ADDRESS_IN_TEXT = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}:/{1,2}\S+")
"""No scheme is longer. Without a limit, a long line without spaces takes time by the square of its length."""


def complete_address(spec: str) -> str:
    """Return a source as an address that can be opened; a film and a camera stay unchanged.

    A missing `http://` or `rtsp://` is added. Characters that would end a name or password too early are
    escaped: `#`, `/`, `@`. A path of a file that exists stays a film, as whatever does not look like a host.
    """
    text = spec.strip()
    if text.isdecimal():
        return text
    if "://" not in text:
        found = _WITHOUT_SCHEME.fullmatch(text) or _WITH_PASSWORD.fullmatch(text)
        if found is None or _exists(text):
            return spec
        scheme = "rtsp" if (found["port"] or found["named"]) in _RTSP_PORTS else "http"
        text = f"{scheme}://{text}"
    scheme, user, password, rest = _split(text)
    if user is None:
        return text
    secret = "" if password is None else f":{_escaped(password)}"
    return f"{scheme}{_escaped(user)}{secret}@{rest}"


def without_password(address: str) -> str:
    """Return an address to be shown or kept, with `HIDDEN` for its password. Other texts stay unchanged."""
    scheme, user, password, rest = _split(address)
    if scheme:
        rest = _SECRET_FIELD.sub(rf"\g<1>{HIDDEN}", rest)
    if user is None:
        return f"{scheme}{rest}"
    return f"{scheme}{user}{'' if password is None else f':{HIDDEN}'}@{rest}"


def without_passwords(text: str) -> str:
    """Return a text in which no address shows its password."""
    return _ADDRESS_IN_TEXT.sub(lambda found: without_password(found[0]), text)


def lacks_password(address: str) -> bool:
    """Return whether `HIDDEN` stands in an address in place of its password."""
    _scheme, _user, password, rest = _split(address)
    return password == HIDDEN or any(field.endswith(f"={HIDDEN}") for field in re.split(r"[?&/]", rest))


def with_known_password(address: str, known: Iterable[str]) -> str:
    """Return the one of the `known` addresses that is shown as `address`; without such a one, `address`."""
    if not lacks_password(address):
        return address
    return next((one for one in known if without_password(one) == address), address)


def with_password_of(address: str, before: str) -> str:
    """Return an address with the password that is hidden in it, after its host or path was changed.

    Args:
        address: What was made of `without_password(before)`.
        before: The address with its password.
    """
    if not lacks_password(address):
        return address
    scheme, user, password, rest = _split(address)
    _scheme, _user, known, beyond = _split(before)
    fields = {name.lower(): value for name, value in _SECRET_FIELD.findall(beyond)}
    rest = _SECRET_FIELD.sub(lambda found: found[1] + _unhidden(found[2], fields.get(found[1].lower())), rest)
    if user is None:
        return f"{scheme}{rest}"
    return f"{scheme}{user}{'' if password is None else f':{_unhidden(password, known)}'}@{rest}"


def _unhidden(text: str, known: str | None) -> str:
    return known if text == HIDDEN and known is not None else text


def _split(address: str) -> tuple[str, str | None, str | None, str]:
    """Return scheme with `://`, user, password, and the rest from the host on.

    The last raw `@` before the path ends the password. A raw `/` or `?` belongs to a password
    if there would be no host otherwise: `http://me:a/b@phone.local` has no port `a`. So does every raw `#`.
    """
    found = _SCHEME.fullmatch(address)
    if found is None:
        return "", None, None, address
    scheme, text = found[1], found[2]
    end = next((place for place, letter in enumerate(text) if letter in "/?"), len(text))
    at = text.rfind("@", 0, end)
    if at < 0:
        _user, colon, beyond = text[:end].partition(":")
        ends_there = not colon or text.startswith("[") or _PORT.fullmatch(beyond) is not None
    else:
        ends_there = _FULL_HOST.fullmatch(text[at + 1 : end]) is not None
    if not ends_there:
        at = text.rfind("@")
    if at < 0:
        return scheme, None, None, text
    user, colon, password = text[:at].partition(":")
    return scheme, user, password if colon else None, text[at + 1 :]


def _escaped(text: str) -> str:
    """Return a name or password with everything escaped that has a meaning in an address."""
    return quote(_UNESCAPED_PERCENT.sub("%25", text), safe="%!$&'()*+,;=-._~", errors="surrogateescape")


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
