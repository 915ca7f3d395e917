"""Events in words, as screens and logs show them. This module knows no rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.i18n.catalogue import _, ngettext
from companion.i18n.sentences import breach_text
from companion.i18n.wording import cards_label
from vision.questions import parse_question


def event_text(line: Mapping[str, Any]) -> str:
    """Return what an event line says happened, in a few words: `Bob plays 9♠ 9♦`."""
    kind = str(line.get("event"))
    who = str(line.get("player") or _("Somebody"))
    cards = [str(card) for card in line.get("cards") or ()]
    shown = cards_label(cards)
    count = line.get("count") or len(cards)
    match kind:
        case "play":
            return _("{player} plays {cards}").format(player=who, cards=shown) + _from(line.get("source"))
        case "flip":
            return _("{player} turns up {cards}").format(player=who, cards=shown or _("a card"))
        case "take_up":
            return _("{player} takes up {cards}").format(player=who, cards=shown or _("a face-up card"))
        case "take_down":
            return _("{player} takes a face-down card").format(player=who)
        case "pick_up":
            if not count:
                return _("{player} picks up").format(player=who)
            return _("{player} picks up {cards}").format(player=who, cards=_count(int(count)))
        case "burn":
            if not line.get("player"):
                return _("{cards} burned").format(cards=_count(len(cards))) if cards else _("The pile burns")
            if not cards:
                return _("{player} burns the pile").format(player=who)
            return _("{player} burns {cards}").format(player=who, cards=_count(len(cards)))
        case "show":
            what = _("{player} shows {cards}").format(player=who, cards=shown or "3")
            return what + (" " + _("to {player}").format(player=line["to"]) if line.get("to") else "")
        case "draw":
            return _("{player} draws {cards}").format(player=who, cards=_count(int(count or 1)))
        case "recount":
            return _("{player} has more cards than counted").format(player=who)
        case "exchange":
            what = _("{player} exchanges").format(player=who)
            return what if line.get("player") else _("Cards are exchanged")
        case "deal":
            up = line.get("up") or {}
            if line.get("under_way"):
                return _("The game was going on already")
            if len(up) != 1:
                return _("The cards are dealt")
            player, lying = next(iter(up.items()))
            return _("{player} has {cards} face up").format(player=player, cards=cards_label(lying))
        case "out":
            return _("{player} is out").format(player=who)
        case "game_over":
            loser = line.get("loser")
            return _("Game over: {player} is the Shithead").format(player=loser) if loser else _("Game over")
        case "late_breach":
            breach = line.get("breach") or {"says": line.get("says")}
            return breach_text(breach) or _("{player} broke a rule earlier").format(player=who)
        case "consequence":
            return _consequence_text(str(line.get("says")), who, shown)
        case "unclear":
            return question_text(line) or _("Unclear what happened")
    return kind


def _consequence_text(choice: str, who: str, cards: str) -> str:
    """Return what a table did about a breach."""
    if choice == "taken_back":
        return _("{player} takes {cards} back").format(player=who, cards=cards or _("it"))
    if choice == "picked_up":
        return _("{player} picks up the pile after a breach").format(player=who)
    if choice == "by_rule":
        return _("{player} does what the house rule says about a breach").format(player=who)
    return _("{player}’s breach stands").format(player=who)


def question_text(line: Mapping[str, Any]) -> str:
    """Return the question of an `unclear` event in the current language, or as it was written."""
    says, player = str(line.get("says") or ""), line.get("player")
    known = parse_question(says, player)
    return says if known is None else _(known[0]).format(player=player or _("Somebody"), **known[1])


def _from(source: Any) -> str:
    words = {"up": _("from the table"), "down": _("blind"), "hand+up": _("from hand and table")}
    return f" {words[str(source)]}" if source in words else ""


def _count(number: int) -> str:
    return ngettext("{n} card", "{n} cards", number)
