"""Simulated games with nothing hidden."""
