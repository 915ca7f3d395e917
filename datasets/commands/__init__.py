"""The commands that render and measure. They run from a checkout."""
