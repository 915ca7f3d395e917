"""One module per sub-command, each with `add_parser(subparsers)` and `run(args) -> int`."""
