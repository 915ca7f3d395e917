"""Enrolled decks: stored examples and templates of their cards."""
