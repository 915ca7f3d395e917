"""The written form of a game: text that people can read, and the way back to events."""
