"""`python -m shithead_referee` is `shithead`."""

from shithead_referee import main

raise SystemExit(main())
