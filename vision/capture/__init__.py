"""Frames from films, cameras and streams, and writing films."""
