"""The phone as camera through the first play of a game: the polite film, sent as IP-camera apps send it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from companion.game.scoring import event_key, read_truth, truth_path
from companion.store.store import Store
from tests.e2e.windows.test_screens import HERE, has, walk
from tests.e2e.windows.watch_phone import ENDS_S
from tests.support.polite_film import polite_film


def test_a_game_seen_by_a_phone_is_read_and_ruled_on(tmp_path: Path) -> None:
    """Cards go all the way: from the phone over the network to reader, referee and store."""
    film, store = polite_film(), tmp_path / "evening.sqlite"
    players = ["--players", ",".join(film.players), "--dealer", film.dealer or ""]
    kept = ["--store", str(store), "--events", "-"]
    watch = [sys.executable, str(HERE / "watch_phone.py"), "--headless", "--no-learn", *players, *kept]
    done = subprocess.run(watch, capture_output=True, text=True, timeout=1500, check=False)
    told_lines = list(map(json.loads, done.stdout.splitlines()))
    lines = {line.get("revise", line["id"]): line for line in told_lines}
    deal, exchanged, *happened = (
        line for line in read_truth(truth_path(film.path)) if line["t_end"] < ENDS_S
    )
    happened.insert(0, {**deal, "up": deal["up"] | exchanged["up"]})
    assert [line["event"] for line in happened] == ["deal", "exchange", "play", "draw"]
    assert done.returncode == 130, done.stderr
    with Store.open(store) as opened:
        assert opened.events(opened.games()[-1].id) == told_lines
    assert [(line["event"], event_key(line)) for line in lines.values()] == [
        (line["event"], event_key(line)) for line in happened
    ]
    rulings = {line["event"]: line["ruling"] for line in lines.values() if line["event"] != "deal"}
    assert {event: ruling["verdict"] for event, ruling in rulings.items()} == {
        line["event"]: line["verdict"] for line in happened[1:]
    }
    assert [basis["rule"] for basis in rulings["play"]["basis"]] == ["play.any-on-empty-except-3"]


def test_a_phones_address_is_typed_into_the_form_and_a_game_begins_on_its_table() -> None:
    seen = walk("phoned")
    assert seen["source"] == [seen["address"]] * 2
    assert has(seen["phone"], "✓ The picture is good.")
    assert has(seen["phone"], "12 of 12 face-up cards recognised.")
    (deal,) = seen["lines"]
    assert (deal["event"], event_key(deal)) == (
        "deal",
        event_key(read_truth(truth_path(polite_film().path))[0]),
    )
    assert has(seen["phone-dealt"], "Up 7♣ 9♣ 10♣")
