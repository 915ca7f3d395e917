"""The strip network: it reads the upper end of a card of which other cards hide the rest."""
