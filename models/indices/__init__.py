"""The index network: finds index corners, so that a card of which only a corner shows is read."""
