"""Hands over the table: where they reach, and whose they are."""
