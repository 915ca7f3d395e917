"""Speaking aloud."""
