"""Measures how well cards are read and games are followed, and makes the page of results.

This package may import all others. Only `datasets.commands` imports it.
"""
