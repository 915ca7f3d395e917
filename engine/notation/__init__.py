"""A game as text that people can read aloud, and back."""
