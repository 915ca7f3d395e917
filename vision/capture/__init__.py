"""Frames from films, cameras and streams, and films written."""
