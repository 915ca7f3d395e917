"""A plain detector that finds and names cards in one step, for `shithead evaluate --beside`."""
