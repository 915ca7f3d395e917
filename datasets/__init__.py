"""Photographs, rendered scenes and rendered films with their truth, for training and measuring."""
