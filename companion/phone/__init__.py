"""Every phone at the table: a page that films and shows the game, and its server on the local network."""
