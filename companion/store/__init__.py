"""Evenings, games and events on the disk, in one SQLite file."""
