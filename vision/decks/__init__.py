"""Enrolled decks: stored examples of their cards, and what the cards look like."""
