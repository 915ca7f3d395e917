"""`python -m companion.cli` is `shithead`."""

from companion.cli.main import main

raise SystemExit(main())
