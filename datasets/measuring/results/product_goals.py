"""Every measurable goal of the product, and where its number is found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from datasets.measuring.results.film_goals import EVENT_F1, FILM_GOALS, Goal

_BENCH = "pytest -m benchmark tests/benchmarks"
_PHOTOS = "shithead evaluate --json"
_FILMS = "shithead measure"
_SOAK = "shithead soak --hours HOURS --pace PACE"


@dataclass(frozen=True, slots=True)
class ProductGoal:
    """One goal with its source."""

    title: str
    source: str = ""
    """As `datasets.measuring.results.page.Measured.value` reads it; empty: no command measures it."""
    least: float | None = None
    most: float | None = None
    form: str = ".3f"
    command: str = ""

    def wanted(self) -> str:
        """Return what is asked, in words."""
        return Goal(self.title, "", self.least, self.most).wanted()

    def reached(self, value: float) -> bool | None:
        """Tell whether a value is good enough."""
        return Goal(self.title, "", self.least, self.most).reached(value)


def _photos(title: str, where: str, least: float, key: str = "recall") -> ProductGoal:
    name, _, enrolled = where.partition("+")
    command = f"{_PHOTOS} {'--enrolled ' if enrolled else ''}--sets {name}"
    return ProductGoal(title, f"photos/{where}/{key}", least=least, command=command)


def _wrong(title: str, name: str) -> ProductGoal:
    """Return the goal for what is named confidently and wrongly of a set whose deck is enrolled."""
    source, command = f"photos/{name}+deck/confidently_wrong_share", f"{_PHOTOS} --enrolled --sets {name}"
    return ProductGoal(title, source, most=0.002, form=".4f", command=command)


def _bench(
    title: str,
    what: str,
    least: float | None = None,
    most: float | None = None,
    form: str = ".2f",
    file: str = "test_reading_speed.py",
) -> ProductGoal:
    return ProductGoal(title, f"benchmarks/{what}/value", least, most, form, f"{_BENCH}/{file}")


def _fuzz(
    title: str,
    what: str,
    least: float | None = None,
    most: float | None = None,
    form: str = ".2f",
    engine: str = "hypothesis",
) -> ProductGoal:
    command = f"python tests/faults/fuzz.py --minutes 120 --engine {engine}"
    return replace(_bench(title, what, least, most, form), command=command)


def _kills(title: str, what: str, least: float | None = None, most: float | None = None) -> ProductGoal:
    command = "python tests/faults/killing.py /tmp/killed.sqlite --rounds 500"
    return replace(_bench(title, what, least, most, form=".0f"), command=command)


def _covered(part: str, title: str) -> ProductGoal:
    goal = _bench(f"statements that the tests run, share: {title}", f"covered_{part}", form=".3f")
    return replace(goal, command="make coverage")


def _film(goal: Goal) -> ProductGoal:
    return ProductGoal(
        goal.title, f"films/overall/watch/{goal.field}", goal.least, goal.most, goal.form, _FILMS
    )


def _event(kind: str) -> ProductGoal:
    return ProductGoal(f"`{kind}`, F1", f"films/events/{kind}/watch/f1", least=EVENT_F1, command=_FILMS)


_ENGINE = "test_engine_speed.py"
_WINDOW = "test_window.py"
_RANDOM = "test_random_games.py"
_FALSE = "test_false_events.py"
_FILM_EVENING = "test_evening_by_film.py"
_WEIGHTS = "test_weights.py"
_EVENTS = (
    "deal",
    "exchange",
    "play",
    "flip",
    "pick_up",
    "burn",
    "show",
    "draw",
    "take_up",
    "take_down",
    "out",
    "game_over",
)
PARTS: dict[str, tuple[ProductGoal, ...]] = {
    "The referee": (
        _bench(
            "four-player random Winnersh games a second, one core",
            "random_games_per_s",
            300,
            form=".0f",
            file=_ENGINE,
        ),
        _bench("applied acts a second, one core", "acts_per_s", 100_000, form=",.0f", file=_ENGINE),
        _bench("one ruling, microseconds", "ruling_us", most=50, form=".1f", file=_ENGINE),
        _bench(
            "random games, 100,000 of each of the five rulesets, that ended or hit the cap",
            "random_games_ended_or_capped",
            500_000,
            form=",.0f",
            file=_RANDOM,
        ),
        _bench(
            "of these given up at the cap: 1,000 acts without a card burned",
            "random_games_capped",
            form=",.0f",
            file=_RANDOM,
        ),
    ),
    "Reading cards": (
        _photos("whole tables: face-up cards found", "vpo_table", 0.98),
        _photos("whole tables: named right", "vpo_table", 0.97, "identity_right"),
        ProductGoal(
            "whole tables: cards confidently wrong",
            "photos/vpo_table/confidently_wrong",
            most=0,
            form=".0f",
            command=f"{_PHOTOS} --sets vpo_table",
        ),
        _photos("the same with the deck enrolled: found", "vpo_table+deck", 0.99),
        _photos("the same with the deck enrolled: named right", "vpo_table+deck", 0.995, "identity_right"),
        _wrong("whole tables with the deck enrolled: share confidently wrong", "vpo_table"),
        _photos("close photos, set of cards: precision", "rf100_valid", 0.98, "precision"),
        _photos("close photos, set of cards: recall", "rf100_valid", 0.97),
        _photos("chaotic piles, set of cards: precision", "laptopcam_piles", 0.92, "precision"),
        _photos("chaotic piles, set of cards: recall", "laptopcam_piles", 0.80),
        _photos("four fanned hands, set of cards: precision", "bidly_fans", 0.98, "precision"),
        _photos("four fanned hands, set of cards: recall", "bidly_fans", 0.90),
        _photos("face-down piles found", "evan_backs", 0.97),
        _photos(
            "decks held out, cards from 48 pixels up, in whole frames: named right",
            "held_out",
            0.97,
            "identity_right",
        ),
        _photos("the same with the deck enrolled", "held_out+deck", 0.995, "identity_right"),
        _wrong("the same with the deck enrolled: share confidently wrong", "held_out"),
        _bench(
            "a 1080p frame with 12 cards, as a share of a one-stage YOLO26n's time",
            "full_hd_share_of_rival",
            most=1,
        ),
        _bench("an unchanged frame, ms", "unchanged_frame_ms", most=1),
        _bench("a 12-megapixel photo, s", "twelve_megapixels_s", most=1),
        _bench("a 24-megapixel photo, s", "twenty_four_megapixels_s"),
        _bench("a 4K frame, s", "four_k_frame_s"),
        _bench("an unchanged frame while a game goes on, ms", "unchanged_frame_of_a_game_ms"),
        _bench("memory of a reading process, MiB", "reading_memory_mib", most=400, form=".0f"),
        _bench(
            "weights that a phone gets, without the 8-bit copies, MB",
            "weights_without_copies_mb",
            most=12,
            form=".1f",
            file=_WEIGHTS,
        ),
        _bench("weights that ship, with those copies, MB", "weights_mb", form=".1f", file=_WEIGHTS),
        _bench("the same, 24-megapixel photos, MiB", "reading_memory_of_24_mp_mib", form=".0f"),
        _bench(
            "cards told of a pack that is shown within a minute",
            "pack_in_a_minute_told",
            50,
            form=".0f",
            file="test_enrolment.py",
        ),
    ),
    "Following a game": (
        ProductGoal("films measured", "films/films", least=40, form=".0f", command=_FILMS),
        *(_event(kind) for kind in _EVENTS),
        *(_film(goal) for goal in FILM_GOALS if goal.least is not None or goal.most is not None),
        _bench(
            "films watched with nothing else running, times real time",
            "watching_times_real_time",
            2,
            file="test_watching_speed.py",
        ),
        _bench(
            "false events on a busy table without a game, three minutes watched as three games",
            "false_events_busy_table",
            most=0,
            form=".0f",
            file=_FALSE,
        ),
        _bench(
            "the same on hands dealing blackjack, 14 s",
            "false_events_other_game",
            most=0,
            form=".0f",
            file=_FALSE,
        ),
    ),
    "The companion": (
        _bench("start to first picture, s", "first_picture_s", most=3, file=_WINDOW),
        _bench(
            "new pictures on the screen a second while reading, of a film of 30, drawn in software",
            "pictures_shown_per_second",
            least=25,
            form=".1f",
            file=_WINDOW,
        ),
        _bench(
            "the barest Kivy camera app, in the same run: first picture, s",
            "bare_first_picture_s",
            file=_WINDOW,
        ),
        _bench(
            "the same: new pictures on the screen a second",
            "bare_pictures_shown_per_second",
            form=".1f",
            file=_WINDOW,
        ),
        _bench("processor's seconds a second while watching", "watching_cpu_share", file=_WINDOW),
        _bench("the barest app's", "bare_cpu_share", file=_WINDOW),
        _bench(
            "the whole sample film through the window: events, F1",
            "window_film_f1",
            least=EVENT_F1,
            form=".3f",
            file=_WINDOW,
        ),
        _bench(
            "an evening of 12 games by touch, 11 of them played out, through three kills: games tallied"
            " right",
            "touch_evening_games_tallied",
            12,
            form=".0f",
            file="test_whole_evening.py",
        ),
        _bench(
            "an evening of 12 games by film (all five rulesets, two and three players) through three kills:"
            " losers entered by hand",
            "film_evening_losers_entered",
            most=0,
            form=".0f",
            file=_FILM_EVENING,
        ),
        _bench(
            "the same evening: games tallied right, these entered",
            "film_evening_games_tallied",
            12,
            form=".0f",
            file=_FILM_EVENING,
        ),
        _bench(
            "the same evening: decided lines that the store lost",
            "film_evening_lines_lost",
            most=0,
            form=".0f",
            file=_FILM_EVENING,
        ),
        _kills("kills (SIGKILL) at random moments of games by touch", "kills", least=500),
        _kills("of these before anything had been shown", "kills_before_anything"),
        _kills(
            "of these that lost what had been shown (the run ends at the first)", "kills_that_lost", most=0
        ),
    ),
    "The tests": (
        *(_covered(part, f"`{part}/`") for part in ("engine", "vision", "companion", "datasets", "models")),
        _covered("all", "together"),
    ),
    "Through the night": (
        ProductGoal("hours of films", "soak/film_hours", least=4, form=".2f", command=_SOAK),
        ProductGoal("at how many times real pace", "soak/pace", most=1, form=".1f", command=_SOAK),
        ProductGoal(
            "growth of memory, MiB an hour",
            "soak/memory_mib/growth_per_hour",
            most=1,
            form=".1f",
            command=_SOAK,
        ),
        ProductGoal("most memory, MiB", "soak/memory_mib/most", form=".0f", command=_SOAK),
        ProductGoal(
            "picture to ruling, median s, first half",
            "soak/lag_s/first_half/median",
            form=".2f",
            command=_SOAK,
        ),
        ProductGoal("the same, second half", "soak/lag_s/second_half/median", form=".2f", command=_SOAK),
        ProductGoal(
            "the second half's, as a multiple of the first half's",
            "soak/lag_second_to_first",
            most=1.2,
            form=".2f",
            command=_SOAK,
        ),
        ProductGoal(
            "decided lines that the store lost", "soak/lines_lost", most=0, form=".0f", command=_SOAK
        ),
        ProductGoal(
            "games whose loser the store names right, share",
            "soak/losers_right_share",
            least=1,
            form=".2f",
            command=_SOAK,
        ),
        _fuzz(
            "hours of fuzzing by Hypothesis, of a processor's time",
            "fuzz_hypothesis_hours",
            least=2,
        ),
        _fuzz("inputs in these hours", "fuzz_hypothesis_inputs", form=",.0f"),
        _fuzz("what they brought to light", "fuzz_hypothesis_findings", most=0, form=".0f"),
        _fuzz(
            "hours of fuzzing guided by coverage, likewise",
            "fuzz_atheris_hours",
            least=2,
            engine="atheris",
        ),
        _fuzz(
            "targets in which these brought something to light",
            "fuzz_atheris_findings",
            most=0,
            form=".0f",
            engine="atheris",
        ),
    ),
}
"""By part of the product."""
