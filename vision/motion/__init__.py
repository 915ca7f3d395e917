"""What moves in the picture: the camera, the players, or nothing."""
