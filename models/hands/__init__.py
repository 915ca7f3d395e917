"""Google's ready networks that find hands, and the command that makes their weights. See MODEL_CARD.md."""
