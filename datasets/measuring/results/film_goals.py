"""What the product is to reach, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """One measure and what is asked of it."""

    title: str
    field: str
    """Its name in a report."""
    least: float | None = None
    most: float | None = None
    form: str = ".3f"
    """How its numbers are written."""

    def wanted(self) -> str:
        """Return what is asked, in words; nothing where the measure only informs."""
        if self.least is not None:
            return f"at least {self.least:,g}"
        return "" if self.most is None else f"at most {self.most:,g}"

    def reached(self, value: float) -> bool | None:
        """Tell whether a value is good enough; None where nothing is asked."""
        if self.least is not None:
            return value >= self.least
        return None if self.most is None else value <= self.most


EVENT_F1 = 0.98
"""Asked of each event type on its own."""
FILM_GOALS = (
    Goal("events, F1", "f1", least=EVENT_F1),
    Goal("events, precision", "precision"),
    Goal("events, recall", "recall"),
    Goal("player right", "player_right", least=0.99),
    Goal("rulings right", "rulings_right"),
    Goal("illegal plays found", "illegal_found", least=0.97),
    Goal("false alarms a game", "false_alarms_per_game", most=0.1, form=".2f"),
    Goal("games with no correction needed", "games_right", least=0.8, form=".2f"),
    Goal("corrections a game", "corrections_per_game", form=".2f"),
    Goal("questions a game", "questions_per_game", form=".2f"),
    Goal("seconds from the last movement to the ruling, median", "delay_median_s", most=0.6, form=".2f"),
    Goal("the same, 95th percentile", "delay_p95_s", most=1.2, form=".2f"),
    Goal("the same with the time to compute it, median", "computed_median_s", form=".2f"),
    Goal("the same, 95th percentile", "computed_p95_s", form=".2f"),
    Goal("films watched, times real time, whatever else ran", "speed", form=".2f"),
    Goal("the same, by processor time on one core", "processor_speed", form=".2f"),
)
"""Of whole films, in the order of the table; fields as in `datasets.measuring.films.summary.sums`."""
