"""A store of two evenings whose losers owe songs."""

from __future__ import annotations

import time
from collections.abc import Sequence

from companion.store.store import Store

AGO_S = (9 * 86_400.0, 2 * 86_400.0)
"""How long ago the evenings were, in seconds."""
GAMES = (*(("winnersh", "Bob"),) * 3, ("backpacker", "Bob"), ("backpacker", "Ann"))
"""Rules and loser of each game of an evening: Bob comes to owe all that there is, Ann one thing."""


def owe_songs(store: Store, players: Sequence[str], clock: dict[str, float]) -> None:
    """Play both evenings; `clock["now"]` is what the store takes for the time."""
    song = {"ruling": {"verdict": "legal", "effects": {"rituals": ["Library Boy"]}}}
    for ago in AGO_S:
        clock["now"] = time.time() - ago
        for rules, loser in GAMES:
            store.start_game(rules, players)
            line = {"id": 1, "event": "pick_up", "player": loser, "cards": ["4C"], "t": 1, "decided_at": 1}
            store.append(line | (song if loser == "Bob" else {}))
            store.finish(loser)
