"""Whatever a phone sends: a checked message, or one clear line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.phone.hub import Hub
from companion.phone.program import ProgramState
from companion.phone.requests import (
    MAX_NAME_LETTERS,
    CameraAway,
    ClockAnswer,
    Correct,
    GiveCamera,
    Hello,
    LeaveCamera,
    Rename,
    TakeCamera,
    clean_name,
    parse_message,
)
from companion.sources.joined_phone import PhoneFrames, check_jpeg, decode_jpeg
from engine.errors import BadInputError
from tests.support.phones import jpeg, phone_id

GOOD: dict[str, Any] = {
    '{"type":"hello","phone":"' + "a" * 32 + '","name":"Ann","language":"de"}': Hello("a" * 32, "Ann", "de"),
    '{"type":"name","name":" Ann\\u0000\\n B "}': Rename("Ann B"),
    '{"type":"take-camera"}': TakeCamera(),
    '{"type":"give-camera","agrees":false}': GiveCamera(False),
    '{"type":"leave-camera"}': LeaveCamera(),
    '{"type":"camera-away","away":true}': CameraAway(True),
    '{"type":"clock","asked":3,"now":1.5}': ClockAnswer(3.0, 1.5),
    '{"type":"correct","event":7,"seen":"x","cards":["10H","JOKER"]}': Correct(7, "x", ("10H", "JOKER")),
    '{"type":"correct","event":7,"seen":"x","player":"Bob"}': Correct(7, "x", player="Bob"),
    '{"type":"correct","event":7,"seen":"x","strike":true}': Correct(7, "x", strike=True),
}
BAD = (
    *("", "[]", "null", "{}", '{"type":"no"}', '{"type":["hello"]}', '{"type":"hello"}', "[" * 3000, "\x00"),
    '{"type":"hello","phone":"A","name":"","language":"en"}',
    '{"type":"hello","phone":"' + "a" * 32 + '","name":5,"language":"en"}',
    '{"type":"hello","phone":"' + "a" * 32 + '","name":"","language":"xx"}',
    '{"type":"give-camera","agrees":1}',
    '{"type":"clock","asked":1e999,"now":1}',
    '{"type":"clock","asked":NaN,"now":1}',
    '{"type":"clock","asked":true,"now":1}',
    '{"type":"correct","event":true,"seen":"","strike":true}',
    '{"type":"correct","event":1,"seen":"","cards":["??"]}',
    '{"type":"correct","event":1,"seen":"","cards":["9S"],"strike":true}',
    '{"type":"correct","event":-1,"seen":"","strike":true}',
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)
NAMES = (
    "phone",
    "name",
    "language",
    "agrees",
    "away",
    "asked",
    "now",
    "event",
    "seen",
    "cards",
    "player",
)


def refusal_of(act: Callable[[], object]) -> str:
    """Return the line with which an act is refused, or an empty text."""
    try:
        act()
    except BadInputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("text", list(GOOD))
def test_a_sound_message_is_read(text: str) -> None:
    assert parse_message(text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_a_bad_message_is_answered_with_one_line(text: str) -> None:
    with pytest.raises(BadInputError) as refused:
        parse_message(text)
    assert str(refused.value).startswith("message: ")
    assert "\n" not in str(refused.value)


@settings(max_examples=15)
@given(
    kind=st.sampled_from([json.loads(text)["type"] for text in GOOD]),
    fields=st.dictionaries(st.sampled_from((*NAMES, "strike")), ANY, max_size=6),
)
def test_any_fields_are_a_message_or_one_line(kind: str, fields: dict[str, Any]) -> None:
    said = refusal_of(lambda: parse_message(json.dumps(fields | {"type": kind})))
    assert "\n" not in said


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_one_line(data: bytes) -> None:
    with pytest.raises(BadInputError):
        parse_message(data)


@given(st.text(max_size=4 * MAX_NAME_LETTERS))
def test_a_name_is_one_short_line(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= MAX_NAME_LETTERS
    assert name.isprintable()
    assert name == name.strip()


@given(st.binary(max_size=300) | st.builds(lambda cut: jpeg()[:cut], st.integers(0, 600)))
def test_any_bytes_are_a_picture_or_one_line(data: bytes) -> None:
    said = refusal_of(lambda: check_jpeg(data))
    assert not said or said.startswith("picture: ")
    image = decode_jpeg(data) if not said else None
    assert image is None or image.ndim == 3


_STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(["join", "leave", "frame", *[json.loads(text)["type"] for text in GOOD][1:]]),
        st.booleans(),
    ),
    max_size=40,
)


@settings(max_examples=60)
@given(_STEPS)
def test_in_whatever_order_phones_act_at_most_one_of_them_films(steps: list[tuple[int, str, bool]]) -> None:
    texts: dict[str, Callable[[bool], str]] = {
        "give-camera": lambda yes: json.dumps({"type": "give-camera", "agrees": yes}),
        "camera-away": lambda yes: json.dumps({"type": "camera-away", "away": yes}),
    }
    for text in GOOD:
        kind = json.loads(text)["type"]
        texts.setdefault(kind, lambda _yes, text=text: text)  # type: ignore[misc]

    async def play() -> None:
        frames = PhoneFrames()
        hub = Hub(ProgramState(store=Path("/nonexistent/s.sqlite")), frames)
        phones: dict[int, Any] = {}
        for number, act, yes in steps:
            phone = phones.get(number)
            if act == "join":
                phones[number] = hub.join(Hello(phone_id(number), "", "en"), "film" if yes else "view")
            elif phone is not None and act == "leave":
                hub.leave(phones.pop(number))
            elif phone is not None and act == "frame":
                filming, before = hub.camera is phone, frames.latest
                refusal_of(lambda: hub.frame(phone, 1.0, jpeg()))  # noqa: B023
                assert (frames.latest is not before) == filming
            elif phone is not None:
                hub.receive(phone, parse_message(texts[act](yes)))
            hub.publish()
            for other in phones.values():
                for sent in other.take():
                    assert isinstance(json.loads(sent)["type"], str)
            assert hub.camera is None or hub.camera in phones.values()
            assert hub.camera_state() in ("none", "films", "silent", "away", "lost")
            assert hub.screens == len(phones) - (hub.camera is not None)

    asyncio.run(play())
