"""The layout of seats and piles on the table, and the cards observed there."""
