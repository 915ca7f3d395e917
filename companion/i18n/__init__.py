"""Every word that the program shows, in the language of whoever reads it."""
