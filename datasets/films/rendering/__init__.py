"""Frames of a film, drawn from its timeline: the table, its light, cards, objects, arms and the camera."""
