"""Which cards an image shows, and where they lie in it."""
