"""Where hands reach over the table, and whose they are."""
