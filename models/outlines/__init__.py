"""The network that finds card outlines: four corners, face-up or face-down."""
