"""The networks that read rank and suit from a flattened card and from its index corners."""
