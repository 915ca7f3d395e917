"""`python -m companion.cli` is `shithead`."""

from companion.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
