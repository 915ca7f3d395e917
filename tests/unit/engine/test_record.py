"""A record reads back to the same game; a damaged one yields what is whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import FULL_PACK
from engine.errors import BadInputError
from engine.events import Event
from engine.notation.record import Record, read_record
from engine.notation.record_lines import event_text, name_text, parse_event, parse_names
from engine.referee.referee import Referee
from engine.ruleset import build_variant, load_ruleset
from engine.simulation.simulate import play_game

PLAYERS = ("Ann", 'Bob "the\nhat" Q.', "Somebody", "D'Arcy", "Zoë", "2nd player")


def recorded(rules: str = "winnersh", seed: int = 3, **given_: Any) -> Record:
    game = play_game(rules, PLAYERS[:4], seed, cheats=1)
    referee = Referee(rules, PLAYERS[:4], dealer=game.dealer, **given_)
    for step in game:
        referee.observe(step.event)
    return Record(
        rules=referee.rules,
        players=referee.players,
        dealer=game.dealer,
        log=referee.log,
        tags={"Place": "Pheasant, Winnersh"},
        **given_,
    )


@pytest.mark.parametrize("rules", ["winnersh", "jokers", "shed"])
def test_a_record_reads_back_to_the_same_game(rules: str) -> None:
    record = recorded(rules)
    again, damage = read_record(record.to_text())
    assert not damage
    assert again == record
    assert again.referee().table == record.referee().table


def test_a_record_keeps_revisions_undo_and_what_the_sitting_knew() -> None:
    record = recorded("winnersh", losses={"Ann": 2}, loser="Ann")
    referee = record.referee()
    referee.undo()
    play = next(event for event in referee.events if event.event == "play")
    referee.correct(
        play.id, Event(id=900, event="play", player=play.player, cards=("??",), confidence=0.4, t=1.25)
    )
    kept = replace(record, log=referee.log)
    again, damage = read_record(kept.to_text())
    assert not damage
    assert again == kept
    assert again.referee().events == referee.events


def test_a_record_carries_a_house_variant() -> None:
    data = {"name": "Friday", "base": "jokers", "options": ["q-reverse"], "mechanics": {"burns": ["10", "J"]}}
    rules = build_variant(data, "x")
    record = Record(rules=rules, players=("Ann", "Bob"))
    again, damage = read_record(record.to_text())
    assert not damage
    assert (again.rules.name, again.rules.options) == ("Friday", ("q-reverse",))
    assert again.rules.mechanics == rules.mechanics


def test_a_damaged_record_yields_what_is_whole_and_the_line_that_is_not() -> None:
    lines = recorded().to_text().splitlines()
    whole = read_record("\n".join(lines))[0]
    at = next(number for number, line in enumerate(lines) if " plays " in line)
    lines[at] = lines[at].replace("plays", "p1ays")
    record, (damage,) = read_record("\n".join(lines))
    assert (damage.line, damage.text) == (at + 1, lines[at])
    assert "p1ays" in damage.reason
    assert len(record.log) == len(whole.log) - 1


@pytest.mark.parametrize(
    "line",
    [
        "17",
        "0. Ann plays 9H",
        '[Players "Ann, Cat"]',
        "Ann plays 9H",
        "1. Ann plays 9X",
        "1. Amn plays 9H",
        '1. "A\\q" plays 9H',
        "1. Ann shows 3H to Bib",
        "1. Ann plays 9H [t=x]",
        "1. Ann plays 9H [flavour=3]",
        '1. "Ann plays 9H',
        "1. Ann exchanges 2: 9H 8H",
        "[Broken tag]",
        '[Dealer "A]',
        '1. unclear: Ann: "\\q"',
    ],
)
def test_every_kind_of_damage_is_reported(line: str) -> None:
    text = Record(rules=load_ruleset("winnersh"), players=("Ann", "Bob")).to_text()
    _, damage = read_record(text + line + "\n")
    assert [found.text for found in damage] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "\x00\x01",
        '[Players "Ann"]',
        '[Rules "whist"]\n[Players "Ann, Bob"]',
        '[Rules "winnersh"]\n[Players "Ann,Bob"]',
        '[Rules "winnersh"]\n[Players "Ann, Ann"]',
        '[Rules "jokers"]\n[Options "bastard-card"]\n[Players "Ann, Bob"]',
        '[Rules "winnersh"]\n[Mechanics "7"]\n[Players "Ann, Bob"]',
    ],
)
def test_what_is_no_record_gets_one_clear_line(text: str) -> None:
    with pytest.raises(BadInputError) as error:
        read_record(text)
    assert "\n" not in str(error.value)


def test_a_record_can_be_read_aloud() -> None:
    event = Event(
        id=12, event="show", player="Ann", cards=("3H",), to="Bob", answers=(("Bob", "Ann"),), t=4.5
    )
    assert event_text(event) == "12. Ann shows 3H to Bob, Bob answers Ann [t=4.5]"


names = st.one_of(st.sampled_from(PLAYERS), st.text(min_size=1, max_size=8))
some_name = st.none() | names
some_cards = st.lists(st.sampled_from([*FULL_PACK, "JOKER", "??", "9"]), max_size=4).map(tuple)
times = st.floats(0, 1e5).map(lambda value: round(value, 3))
base = {"id": st.integers(1, 9999), "t": times, "decided_at": times, "player": some_name}
events = st.one_of(
    st.builds(
        Event,
        event=st.just("play"),
        cards=some_cards,
        source=st.sampled_from([None, "hand", "up", "hand+up", "down"]),
        **base,
    ),
    st.builds(
        Event, event=st.just("pick_up"), cards=some_cards, count=st.none() | st.integers(0, 60), **base
    ),
    st.builds(
        Event,
        event=st.sampled_from(["take_up", "take_down", "burn", "draw"]),
        cards=some_cards,
        count=st.none() | st.integers(0, 9),
        **base,
    ),
    st.builds(
        Event,
        event=st.just("recount"),
        count=st.none() | st.integers(0, 9),
        source=st.sampled_from([None, "hand", "up", "hand+up", "down"]),
        **base,
    ),
    st.builds(Event, event=st.just("flip"), cards=some_cards, source=st.just("down"), **base),
    st.builds(
        Event,
        event=st.just("show"),
        cards=some_cards,
        to=some_name,
        answers=st.lists(st.tuples(names, names), max_size=3).map(tuple),
        answered_from=st.sampled_from([None, "hand", "up", "down"]),
        **base,
    ),
    st.builds(
        Event,
        event=st.just("exchange"),
        count=st.none() | st.integers(0, 3),
        up=st.dictionaries(names, some_cards, max_size=2),
        **base,
    ),
    st.builds(
        Event, event=st.just("out"), revise=st.none() | st.integers(1, 99), withdrawn=st.booleans(), **base
    ),
    st.builds(
        Event,
        event=st.sampled_from(["unclear", "late_breach"]),
        says=st.none() | st.text(min_size=1, max_size=20),
        **base,
    ),
    st.builds(
        Event,
        id=st.integers(1, 99),
        event=st.just("deal"),
        up=st.dictionaries(names, some_cards, max_size=3),
        cards=some_cards,
        under_way=st.booleans(),
        unseen=st.booleans(),
        face_up=st.booleans(),
        confidence=st.floats(0, 1),
    ),
    st.builds(Event, id=st.integers(1, 99), event=st.just("game_over"), loser=some_name),
)


@given(events)
def test_every_event_reads_back_from_its_line(event: Event) -> None:
    line = event_text(event)
    assert "\n" not in line
    assert parse_event(line.strip()) == event


@pytest.mark.parametrize("odd", ["A\n", "A\u2028B", "A\x85", " A ", '"', "\\", "A [t=1]", "A / B"])
def test_odd_names_read_back_in_a_whole_record(odd: str) -> None:
    log = (Event(id=1, event="play", player=odd, cards=("9H",)), Event(id=2, event="deal", up={odd: ("4C",)}))
    record = Record(rules=load_ruleset("winnersh"), players=("Ann", odd), dealer=odd, log=log)
    again, damage = read_record(record.to_text())
    assert not damage
    assert again == record


@given(st.lists(names, min_size=2, max_size=6, unique=True))
def test_names_read_back(players: list[str]) -> None:
    assert parse_names(", ".join(map(name_text, players))) == tuple(players)
