"""Code that the training of several networks shares."""
