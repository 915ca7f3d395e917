"""Rendered pictures of cards on tables, with their truth."""
