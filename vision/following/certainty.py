"""How surely cards are named: the probabilities from which a name, or a rank, counts as known."""

from __future__ import annotations

CERTAIN = 0.97
"""A name this probable is almost certain."""
VERY_SURE = 0.95
"""A name this probable is right even if something speaks against it: a moving hand, or a hidden part."""
SURE = 0.9
"""A card that is named less surely than this may show only in part, or be another one."""
QUITE_SURE = 0.85
"""A card that is named so surely is some card that lies there, and not print or a second outline."""
LIKELY = 0.75
"""A name this probable is reported if nothing speaks against it."""
FAIRLY_LIKELY = 0.6
"""A name this probable is enough for a card that shows well, alone in its place."""
READ_AT_ALL = 0.25
"""A card with a less probable name was not read as that card."""
HARDLY = 0.05
"""A card is not read as a name, or a rank, that is less probable than this."""
