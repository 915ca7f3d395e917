"""Pictures, rendered scenes and rendered films, each with its truth. Builds what `models` trains on."""
