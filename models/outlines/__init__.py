"""The network that finds the outlines of cards: four corners, face up or face down."""
