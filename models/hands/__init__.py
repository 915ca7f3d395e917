"""Google's networks that find hands, and the command that converts their weights. See MODEL_CARD.md."""
