"""The goals for whole films, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """One measure, and its goal if it has one."""

    title: str
    field: str
    """The name of the measure in a report, or its path in the measurements."""
    least: float | None = None
    most: float | None = None
    form: str = ".3f"
    """The format of its numbers."""
    command: str = ""
    """The command that measures it."""

    def wanted(self) -> str:
        """Return the goal in words; empty for a measure without a goal."""
        if self.least is not None:
            return f"at least {self.least:,g}"
        return "" if self.most is None else f"at most {self.most:,g}"

    def reached(self, value: float) -> bool | None:
        """Return whether a value is good enough; None for a measure without a goal."""
        if self.least is not None:
            return value >= self.least
        return None if self.most is None else value <= self.most


EVENT_F1 = 0.98
"""The goal for each type of event."""
FILM_GOALS = (
    Goal("F1 of all events", "f1", least=EVENT_F1),
    Goal("precision of all events", "precision"),
    Goal("recall of all events", "recall"),
    Goal("share of events with the correct player", "player_right", least=0.99),
    Goal("share of correct rulings", "rulings_right"),
    Goal("share of breaches found", "illegal_found", least=0.97),
    Goal("false alarms per game", "false_alarms_per_game", most=0.1, form=".2f"),
    Goal("share of games that needed no correction", "games_right", least=0.8, form=".2f"),
    Goal("corrections per game", "corrections_per_game", form=".2f"),
    Goal("questions per game", "questions_per_game", form=".2f"),
    Goal("time from the last movement to the ruling, median, s", "delay_median_s", most=0.6, form=".2f"),
    Goal(
        "time from the last movement to the ruling, 95th percentile, s", "delay_p95_s", most=1.2, form=".2f"
    ),
    Goal("that time with the computing time, median, s", "computed_median_s", form=".2f"),
    Goal("that time with the computing time, 95th percentile, s", "computed_p95_s", form=".2f"),
    Goal("speed while other work ran, times real time", "speed", form=".2f"),
    Goal("speed by processor time, times real time on one core", "processor_speed", form=".2f"),
)
"""The measures of whole films, in the order of the table, as `films.summary.sums` names them."""
