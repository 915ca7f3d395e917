"""The rulings, one module for each kind of action; `engine.judge` is the way in."""
