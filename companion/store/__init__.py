"""Evenings, games and events on the disk."""
