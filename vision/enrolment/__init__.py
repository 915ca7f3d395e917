"""Learning a deck: from photos, from a pack shown to the camera, or during play."""
