"""One game, and the evening it belongs to, free of any screen."""
