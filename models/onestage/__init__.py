"""The rival that `shithead evaluate --beside` measures: a plain detector that finds and names in one step."""
