"""Which cards a picture shows, and where they lie in it."""
