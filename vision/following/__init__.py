"""From observed cards and hands to the events of the game."""
