"""Select and word event lines and rulings for the screens. Free of Kivy and of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.game.event_log import ASSUMED
from companion.game.interface import EventLine
from companion.i18n.catalogue import _
from companion.i18n.rules import citation_text, quotation
from companion.i18n.sentences import breach_text, ruling_sentence
from engine.cards import UNKNOWN
from engine.events import Event
from vision.questions import (
    HIDDEN_CARD,
    LAYOUT_QUESTIONS,
    LOST_TABLE_QUESTIONS,
    UNDER_WAY,
    UNREAD_CARD,
    format_question,
    parse_question,
)

_ROUTINE = ("draw", "exchange", "take_up", "take_down")
"""Events that leave the ruling before them on screen if they are legal."""


def newest_ruling(lines: Sequence[EventLine]) -> EventLine | None:
    """Return the event whose ruling to show: the newest that is not routine, or else the newest."""
    judged = [line for line in lines if ruling_of(line)]
    for line in reversed(judged):
        if line.get("event") not in _ROUTINE or (ruling_of(line) or {}).get("verdict") != "legal":
            return line
    return judged[-1] if judged else None


def find_line(lines: Sequence[EventLine], event_id: int) -> EventLine | None:
    """Return the line of an event, or None if there is none."""
    return next((line for line in lines if line.get("id") == event_id), None)


def line_to_correct(lines: Sequence[EventLine], event_id: int) -> EventLine | None:
    """Return the event that a tap on `event_id` corrects.

    A question about an unread card and a late breach lead to the event that they concern.
    """
    place = next((place for place, line in enumerate(lines) if line.get("id") == event_id), None)
    if place is None:
        return None
    return _concerned(lines, place) or lines[place]


def _concerned(lines: Sequence[EventLine], place: int) -> EventLine | None:
    """Return the event that a question or a late breach concerns, or None."""
    line = lines[place]
    if line.get("concerns") is not None:
        return find_line(lines, line["concerns"])
    if line.get("event") != "unclear":
        return None
    # Older stored games have questions without that field.
    earlier = (other for other in reversed(lines[:place]) if other.get("player") == line.get("player"))
    return next((other for other in earlier if UNKNOWN in (other.get("cards") or ())), None)


def open_questions(lines: Sequence[EventLine]) -> list[EventLine]:
    """Return the unanswered questions, the newest last.

    A question about a card is answered once the card is known or the event removed. A question about a hidden
    card is answered once the play has another card. Other questions are answered by removing them.
    """
    found = []
    for place, line in enumerate(lines):
        if line.get("event") != "unclear":
            continue
        about = _concerned(lines, place)
        if _lacks_card(about, line) if about is not None else not _asks_for_card(line):
            found.append(line)
    return found


def _asks_for_card(question: EventLine) -> bool:
    return question.get("says") == format_question(UNREAD_CARD, question.get("player"))


def _lacks_card(about: EventLine, question: EventLine) -> bool:
    """Return whether an event still lacks the card that the question asks for."""
    cards = about.get("cards") or ()
    hidden = format_question(HIDDEN_CARD, question.get("player"), count=len(cards))
    return UNKNOWN in cards or question.get("says") == hidden


def asks_for_hidden_card(question: EventLine) -> bool:
    """Return whether a question asks for a card hidden under those that were seen."""
    known = _form(question)
    return known is not None and known[0] == HIDDEN_CARD


def _form(question: EventLine) -> tuple[str, Mapping[str, str]] | None:
    return parse_question(str(question.get("says") or ""), question.get("player"))


def asks_for_places(question: EventLine, *, followed: bool = False) -> bool:
    """Return whether a question is answered by showing where rows and piles lie.

    `followed`: whether the game is followed, so that a lost one has been found again.
    """
    known = _form(question)
    return known is not None and (
        known[0] in (*LAYOUT_QUESTIONS, UNDER_WAY) or (known[0] in LOST_TABLE_QUESTIONS and not followed)
    )


def asks_about_joined_game(question: EventLine) -> bool:
    """Return whether a question is about a game that was going on when it was first seen."""
    known = _form(question)
    return known is not None and known[0] == UNDER_WAY


def asks_about_moved_game(question: EventLine) -> bool:
    """Return whether a question is about a game that has moved."""
    known = _form(question)
    return known is not None and known[0] in LOST_TABLE_QUESTIONS


def likely_answers(lines: Sequence[EventLine], question: EventLine) -> list[Event]:
    """Return the question's event with each likely card, the likeliest first.

    Cards that the event already has are left out. If no card is asked for, there is none.
    """
    about = line_to_correct(lines, int(question.get("id") or 0))
    if about is None or about is question:
        return []
    event = Event.from_json(dict(about))
    if not _lacks_card(about, question):
        return []
    # A hidden card lay at the bottom; an unread card keeps its place.
    at, rest = (event.cards.index(UNKNOWN), 1) if UNKNOWN in event.cards else (0, 0)
    return [
        replace(
            event, cards=(*event.cards[:at], card, *event.cards[at + rest :]), confidence=1.0, revise=None
        )
        for card in question.get("cards") or ()
        if card not in event.cards
    ]


def has_later_events(lines: Sequence[EventLine], event_id: int) -> bool:
    """Return whether anybody acted after this event. The referee's inferences from it do not count."""
    places = [place for place, line in enumerate(lines) if line.get("id") == event_id]
    later = lines[places[0] + 1 :] if places else ()
    return any(not is_inferred(line) and line.get("by") != ASSUMED for line in later)


def is_inferred(line: EventLine) -> bool:
    """Return whether the referee inferred the event from its count of cards, and nobody reported it."""
    return line.get("event") in ("out", "game_over") and line.get("by") is None


def ruling_of(line: EventLine) -> Mapping[str, Any] | None:
    """Return the ruling of an event. A late breach counts as one."""
    if line.get("event") == "late_breach":
        breach = line.get("breach") or {"says": line.get("says", "")}
        return {"verdict": "illegal", "breaches": [breach]}
    ruling: Mapping[str, Any] | None = line.get("ruling")
    return ruling


def verdict_of(ruling: Mapping[str, Any] | None) -> str:
    """Return the verdict of a ruling: legal, illegal or unproven. Without one, an act counts as legal."""
    return str((ruling or {}).get("verdict") or "legal")


def present_ruling(line: EventLine, table: Any) -> Mapping[str, Any] | None:
    """Return the ruling of an event with the turn as it is now.

    A later event may have changed who is next, for example if that player is out.

    Args:
        line: The newest event with a ruling.
        table: The referee's public table, or None.
    """
    ruling = ruling_of(line)
    effects = (ruling or {}).get("effects") or {}
    if ruling is None or table is None or not effects.get("next") or effects["next"] == table.turn:
        return ruling
    now = None if table.loser else table.turn
    return {**ruling, "effects": {**effects, "next": now, "extra_turn": False}}


def ruling_text(ruling: Mapping[str, Any], player: str | None = None) -> tuple[str, str]:
    """Return (the referee's sentence, the rule's sentence with its citation). `player` is who acted."""
    breaches = ruling.get("breaches") or ()
    basis = breaches[0] if breaches else next(iter(ruling.get("basis") or ()), None)
    says = breaches_text(ruling)
    if ruling.get("verdict") == "unproven" and ruling.get("needs"):
        says = f"{says} {_('This depends on hidden cards:')} {needs_text(ruling)}".strip()
    effects = ruling.get("effects") or {}
    if says:
        says = " ".join((says, *ritual_texts(effects)))
    else:
        says = " ".join((*effect_texts(effects, player), *_listed_notes(ruling)))
    quote = ""
    if basis is not None and basis.get("quote"):
        quote = f"{quotation(str(basis['quote']))} — {citation_text(str(basis.get('cite', '')))}"
    return says, quote


def breaches_text(ruling: Mapping[str, Any]) -> str:
    """Return the sentences of a ruling's breaches."""
    return " ".join(map(breach_text, ruling.get("breaches") or ()))


def effect_texts(effects: Mapping[str, Any], player: str | None = None) -> list[str]:
    """Return a short sentence for each effect of a ruling. `player` is who acted, and so who draws."""
    words = []
    if effects.get("burn"):
        words.append(_("The pile burns."))
    if effects.get("picks_up"):
        words.append(_("{player} picks up the pile.").format(player=effects["picks_up"]))
    words += [_("{player} is out.").format(player=player) for player in effects.get("left") or ()]
    words += [_("{player} is back in.").format(player=player) for player in effects.get("back_in") or ()]
    words += [_("{player} is skipped.").format(player=player) for player in effects.get("skipped") or ()]
    if effects.get("draw"):
        draws = _("{player} draws {n}.") if player else _("Draws {n}.")
        words.append(draws.format(player=player, n=effects["draw"]))
    if effects.get("shithead"):
        words.append(_("{player} is the Shithead.").format(player=effects["shithead"]))
    elif effects.get("extra_turn"):
        words.append(_("{player} plays again.").format(player=effects.get("next") or _("The same player")))
    elif effects.get("next"):
        words.append(_("Next: {player}.").format(player=effects["next"]))
    return words + ritual_texts(effects)


def rituals_due(effects: Mapping[str, Any], player: str | None = None) -> list[tuple[str, str]]:
    """Return (player, title) for each ritual. If the effects name nobody, it falls on `player`."""
    # At the end of a game it falls on the loser, before that on the player who picks up the pile.
    victim = effects.get("shithead") or effects.get("picks_up") or player
    return [(str(victim), str(title)) for title in effects.get("rituals") or () if victim]


def ritual_texts(effects: Mapping[str, Any], player: str | None = None) -> list[str]:
    """Return a sentence for each ritual: what to sing for whom, or who says what."""
    return [
        _("{player} says: “{title}”").format(player=victim, title=title)
        if title == effects.get("loser_says")
        else _("Sing “{title}” for {player}.").format(player=victim, title=title)
        for victim, title in rituals_due(effects, player)
    ]


def needs_text(ruling: Mapping[str, Any]) -> str:
    """Return the facts that an unproven ruling depends on, or an empty text."""
    needs = ruling.get("needs") or ()
    return ", ".join(ruling_sentence(need, ruling) for need in ([needs] if isinstance(needs, str) else needs))


def _listed_notes(ruling: Mapping[str, Any]) -> list[str]:
    return [ruling_sentence(note, ruling) for note in ruling.get("notes") or ()]


def pick_ups_and_burns(lines: Sequence[EventLine]) -> tuple[Counter[str], Counter[str]]:
    """Count pick-ups and burns per player."""
    picked_up: Counter[str] = Counter()
    burnt: Counter[str] = Counter()
    for line in lines:
        effects = (line.get("ruling") or {}).get("effects") or {}
        if line.get("event") == "pick_up" and line.get("player"):
            picked_up[str(line["player"])] += 1
        if effects.get("burn") and line.get("player"):
            burnt[str(line["player"])] += 1
    return picked_up, burnt
