"""Motion in the image: of the camera, and of what is in front of the table."""
