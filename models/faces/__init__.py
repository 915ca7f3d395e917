"""The networks that tell rank and suit from a flattened card and from its index corners."""
