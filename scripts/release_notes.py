"""Print the section of the changelog for a tag: `python scripts/release_notes.py v1.2.0`.

The exit status is 2, with one line, if the tag is not the version in pyproject.toml, or if CHANGELOG.md has
no section for it.
"""

import re
import sys
import tomllib
from pathlib import Path


def main(tag: str) -> str:
    """Return the section of the changelog, or end with status 2."""
    version = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["version"]
    if tag != f"v{version}":
        return _refuse(f"the tag {tag} is not the version {version} of pyproject.toml (v{version})")
    text = Path("CHANGELOG.md").read_text("utf-8")
    section = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if section is None or not section[1].strip():
        return _refuse(f"CHANGELOG.md has no section for {version}")
    return section[1].strip()


def _refuse(why: str) -> str:
    print(why, file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    print(main(sys.argv[1]))
