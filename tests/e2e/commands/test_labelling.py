"""What people say about a film becomes its truth: confirmed, corrected, entered, undone, gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.game.consequences import consequence_event
from companion.game.film_keeper import FilmKeeper
from companion.game.label_session import LabelSession
from companion.game.labelling import Labels, is_inferred, kept_labels, propose_labels, read_labels
from companion.game.scoring import compare, read_events, read_truth
from companion.store.kept_films import kept_games
from engine.errors import BadInputError
from engine.events import Event
from tests.support.filmed_game import Game, chequered
from tests.support.labelled_film import EVENTS, HEADER, write_events, write_film


def labels(tmp_path: Path) -> Labels:
    return propose_labels(HEADER, write_events(tmp_path / "events.jsonl"))


def kinds(found: Labels) -> list[str]:
    return [step.line["event"] for step in found.steps]


def saved(found: Labels, tmp_path: Path) -> Path:
    found.save(tmp_path / "game.truth.jsonl")
    return tmp_path / "game.truth.jsonl"


def replacing(line: dict[str, Any], **fields: Any) -> Event:
    return Event.from_json({**line, **fields})


def test_what_the_watcher_proposes_counts_as_unconfirmed(tmp_path: Path) -> None:
    found = labels(tmp_path)
    assert [line["event"] for line in found.unconfirmed] == ["deal", "play", "play", "draw"]
    lines = read_truth(saved(found, tmp_path))
    assert [line.get("confirmed") for line in lines] == [False] * 4
    header = json.loads((tmp_path / "game.truth.jsonl").read_text().splitlines()[0])
    assert (header["labelled"], header["unconfirmed"]) == (True, 4)


def test_a_truth_that_was_confirmed_scores_its_own_proposals_as_right(tmp_path: Path) -> None:
    found = labels(tmp_path)
    for line in found.unconfirmed:
        found.confirm(line["id"])
    score = compare(read_events(tmp_path / "events.jsonl"), read_truth(saved(found, tmp_path)))
    assert (score.overall.matched, score.corrections) == (4, 0)


def test_a_correction_is_confirmed_and_all_is_ruled_on_again(tmp_path: Path) -> None:
    found = labels(tmp_path)
    verdicts = [(step.line.get("ruling") or {}).get("verdict") for step in found.steps]
    assert verdicts[2] == "illegal", "a nine on a seven"
    found.correct(3, replacing(EVENTS[2], id=3, cards=["5D"], decided_at=3.0))
    truth = read_truth(saved(found, tmp_path))
    assert (truth[2]["cards"], truth[2]["verdict"]) == (["5D"], "legal")
    assert "confirmed" not in truth[2]


def test_a_broken_rule_stands_in_the_truth(tmp_path: Path) -> None:
    truth = read_truth(saved(labels(tmp_path), tmp_path))
    assert (truth[2]["legal"], truth[2]["verdict"]) == (False, "illegal")
    assert truth[2]["rule"].startswith("play.")


def test_a_missed_event_is_entered_at_its_time(tmp_path: Path) -> None:
    found = labels(tmp_path)
    found.enter(Event(id=0, event="draw", player="Ann", count=1), 2.5)
    assert kinds(found) == ["deal", "play", "draw", "play", "draw"]
    assert read_truth(saved(found, tmp_path))[2]["t_end"] == 2.5
    assert len(found.unconfirmed) == 4, "what a person enters needs no confirmation"


def test_every_change_is_undone_and_redone(tmp_path: Path) -> None:
    found = labels(tmp_path)
    found.correct(2, None)
    found.confirm(3)
    assert (kinds(found), len(found.unconfirmed)) == (["deal", "play", "draw"], 2)
    assert found.undo()
    assert found.undo()
    assert not found.undo()
    assert (kinds(found), len(found.unconfirmed)) == (["deal", "play", "play", "draw"], 4)
    assert found.redo()
    assert kinds(found) == ["deal", "play", "draw"]


def test_who_goes_on_finds_everything_as_it_was(tmp_path: Path) -> None:
    found = labels(tmp_path)
    found.confirm(1)
    found.correct(2, replacing(EVENTS[1], id=2, cards=["7H"], decided_at=2.0))
    found.enter(Event(id=0, event="out", player="Cat"), 4.0)
    found.correct(4, None)
    again = read_labels(saved(found, tmp_path))
    assert again.truth_lines() == found.truth_lines()
    assert [line["id"] for line in again.unconfirmed] == [3]


def test_an_event_that_the_referee_infers_needs_no_confirmation_and_cannot_be_changed(tmp_path: Path) -> None:
    found = labels(tmp_path)
    for player in ("Ann", "Bob"):
        found.enter(Event(id=0, event="out", player=player), 4.0)
    inferred = [step.line for step in found.steps if is_inferred(step.line)]
    assert "game_over" in [line["event"] for line in inferred]
    with pytest.raises(BadInputError, match="inferred"):
        found.correct(inferred[0]["id"], None)
    assert len(found.unconfirmed) == 4
    again = read_labels(saved(found, tmp_path))
    assert kinds(again) == kinds(found)


def test_what_players_did_about_a_breach_stays_in_the_log(tmp_path: Path) -> None:
    found = labels(tmp_path)
    breach = next(
        step.line for step in found.steps if step.line.get("ruling", {}).get("verdict") == "illegal"
    )
    found.enter(consequence_event(breach, "picked_up", 3.2), 3.2)
    again = read_labels(saved(found, tmp_path))
    assert "consequence" in kinds(again)
    assert again.truth_lines() == found.truth_lines()
    lines = [{**line, "t": line["t_end"]} for line in found.truth_lines()[1:]]
    told = tmp_path / "told.jsonl"
    told.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "consequence" in kinds(propose_labels(HEADER, told)), "from the log of a kept game, too"


def test_bad_files_are_one_clear_line(tmp_path: Path) -> None:
    events = write_events(tmp_path / "events.jsonl")
    with pytest.raises(BadInputError, match="players and rules are not named"):
        propose_labels({"film": "x.mp4"}, events)
    with pytest.raises(BadInputError, match="nonsense"):
        propose_labels({**HEADER, "rules": "nonsense"}, events)
    with pytest.raises(BadInputError, match="does not describe a film"):
        read_labels(events)


def test_a_kept_game_begins_with_its_log_and_what_nobody_confirmed(tmp_path: Path) -> None:
    game, keeper = Game(), FilmKeeper(tmp_path, print)
    keeper.enabled = True
    game.deal()
    for t in (10.0, 11.0):
        keeper.add(chequered(), t, live=False)
        keeper.follow(game, game)
    game.lines += [
        {"id": 5, "event": "draw", "player": "Ann", "count": 1, "t": 10.4, "settled": True},
        {"id": 6, "event": "draw", "player": "Bob", "count": 1, "t": 10.8},
    ]
    keeper.close()
    (kept,) = kept_games(tmp_path)
    assert [line["id"] for line in kept_labels(kept).unconfirmed] == [6]


def test_the_film_shows_the_events_up_to_its_picture(tmp_path: Path) -> None:
    found = labels(tmp_path)
    session = LabelSession(found, write_film(tmp_path), tmp_path / "game.truth.jsonl")
    assert list(session.snapshot.lines) == []
    assert session.snapshot.table.players == ("Ann", "Bob", "Cat")
    session.go_to(2.2)
    told = [str(line["event"]) for line in session.snapshot.lines]
    assert (told, session.snapshot.table.turn) == (["deal", "play"], "Bob")
    session.go_to(0.5)
    assert list(session.snapshot.lines) == [], "backwards too"
    session.stop()


def test_an_event_is_played_and_the_film_stops_after_it(tmp_path: Path) -> None:
    session = LabelSession(labels(tmp_path), write_film(tmp_path), tmp_path / "game.truth.jsonl")
    session.go_to_unconfirmed()
    for _ in range(200):
        session.advance(0.05)
    assert not session.playing
    assert session.position == pytest.approx(1.7, abs=0.05)
    session.confirm()
    assert session.current is not None
    assert session.current["event"] == "play", "the next one is played at once"
    session.stop()


def test_two_events_at_once_are_judged_one_after_the_other(tmp_path: Path) -> None:
    found = labels(tmp_path)
    session = LabelSession(found, write_film(tmp_path), tmp_path / "game.truth.jsonl")
    session.enter(Event(id=0, event="draw", player="Bob", count=1))
    seen: list[int] = []
    session.go_to_unconfirmed()
    while found.unconfirmed:
        for _ in range(100):
            session.advance(0.05)
        assert session.current is not None
        seen.append(session.current["id"])
        session.confirm()
    assert seen == [1, 2, 3, 4], "though the draw follows within the seconds that are shown of the play"
    session.stop()


def test_the_next_call_begins_where_somebody_stopped(tmp_path: Path) -> None:
    film, truth = write_film(tmp_path), tmp_path / "game.truth.jsonl"
    session = LabelSession(labels(tmp_path), film, truth)
    session.go_to(3.2)
    session.stop()
    again = LabelSession(read_labels(truth), film, truth)
    assert again.position == pytest.approx(3.2)
    again.stop()


def test_a_disk_that_takes_nothing_is_said_and_the_labels_stay(tmp_path: Path) -> None:
    session = LabelSession(labels(tmp_path), write_film(tmp_path), tmp_path / "none" / "game.truth.jsonl")
    session.go_to(1.2)
    session.confirm()
    assert "No such file or directory" in session.snapshot.says
    assert len(session.labels.unconfirmed) == 3
    session.stop()
