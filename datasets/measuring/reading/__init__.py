"""How well cards are read, in labelled photographs and in rendered frames."""
