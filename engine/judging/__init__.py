"""The rulings, one module for each kind of action; `engine.judging.judge` is the way in."""
