"""The judge: one situation in, one ruling out.

The judge is a pure function, and it raises an error only for malformed input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import BadInputError
from engine.judging.basis import basis_of
from engine.judging.case import Case, Ruling, UndecidedError
from engine.judging.completions import common_ruling, completions
from engine.judging.pick_ups import judge_pick_up, judge_take_down, judge_take_up
from engine.judging.plays import judge_flip, judge_play
from engine.judging.questions import answer
from engine.judging.setups import judge_draw, judge_exchange
from engine.judging.shows import judge_show
from engine.judging.situation import Action, Situation, read_action, read_situation
from engine.sentences import Said

_JUDGES: dict[str, Callable[[Case], None]] = {
    "play": judge_play,
    "flip": judge_flip,
    "pick_up": judge_pick_up,
    "show": judge_show,
    "take_up": judge_take_up,
    "take_down": judge_take_down,
    "exchange": judge_exchange,
    "draw": judge_draw,
}


def judge(situation: Mapping[str, Any]) -> Ruling:
    """Rule on a situation (`docs/files.md`), or answer the question in it.

    Returns:
        The answer to the question, or the ruling. A ruling has the `verdict`, all `breaches` and the `notes`.
        Its `effects` hold if the action stands; None in them means not known. An `unproven` ruling also has
        `needs`, and a `legal` one the `basis`: the rules that allow the action.

    Raises:
        BadInputError: the situation is malformed. An illegal action is not malformed.
    """
    if not isinstance(situation, Mapping):
        raise BadInputError(f"a situation must be an object, not {str(situation)[:40]!r}")
    if situation.get("ask") is not None:
        return answer(situation)
    if situation.get("action") is None:
        raise BadInputError("the situation has neither an action nor a question (ask)")
    table = read_situation(situation)
    return rule_on(table, read_action(situation["action"], table.players))


def rule_on(situation: Situation, action: Action) -> Ruling:
    """Rule on an action in a situation, both already read.

    If unidentified cards leave several possibilities, the ruling contains only their common findings. Its
    field `possible` then lists the different consequences: `next`, `direction` and `picks_up` of each.
    """
    if situation.clockwise is None:
        return common_ruling(
            [rule_on(situation._replace(clockwise=way), action) for way in (True, False)], ()
        )
    possible = completions(situation, action) if action.is_unread else None
    if possible is None:
        return _rule(situation, action, {})
    rulings = [_rule(situation, one, {}) for one in possible.actions]
    return common_ruling(rulings, possible.needs, may_differ=possible.may_differ)


def _rule(
    situation: Situation, action: Action, assumed: Mapping[str, Any], before: Case | None = None
) -> Ruling:
    """Rule on an action, given assumed answers for unknown facts; `before`: the case without the last one."""
    case = Case(situation, action, assumed)
    if before is not None:
        case.reuse(before)
    try:
        _JUDGES[action.type](case)
    except UndecidedError as open_question:
        name, need = open_question.name, open_question.need
        rulings = [
            _rule(situation, action, {**assumed, name: answer}, case) for answer in open_question.answers
        ]
        return common_ruling(rulings, () if need is None else (need,))
    if case.over:
        case.effects["next"] = None
    ruling = case.ruling()
    if ruling["verdict"] == "legal":
        ruling["basis"] = basis_of(case)
    return ruling


def ruling_of_breach(
    situation: Situation, player: str | None, mechanism: str, says: Said, *more: str
) -> Ruling:
    """Return the ruling on a breach that is not one of the judge's actions, such as a wrong burn."""
    case = Case(situation, Action(type="pick_up", player=player))
    case.breach(mechanism, says, *more)
    return case.ruling()


def ruling_of_end(situation: Situation, player: str, loser: str) -> Ruling:
    """Return the ruling on the report that `player` is out, so that only `loser` remains."""
    case = Case(situation, Action(type="out", player=player))
    case.effects["left"] = [player]
    case.end_if_over([loser])
    return case.ruling() | {"basis": basis_of(case)}


def ruling_on_doubt(situation: Situation, player: str | None, what: Said) -> Ruling:
    """Return an unproven ruling that names the missing knowledge `what`."""
    case = Case(situation, Action(type="pick_up", player=player))
    case.need(what)
    return case.ruling()
