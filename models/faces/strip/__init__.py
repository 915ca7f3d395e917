"""The strip network: it reads the upper end of a card when other cards cover the rest."""
