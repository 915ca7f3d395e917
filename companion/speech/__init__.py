"""Speech output."""
