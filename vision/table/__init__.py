"""Where the seats and piles lie on the table, and the cards observed there."""
