"""The index network: finds index corners, so that a card is read even if only a corner shows."""
