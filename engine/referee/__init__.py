"""The referee of one game: what is publicly known, and a ruling on each event."""
