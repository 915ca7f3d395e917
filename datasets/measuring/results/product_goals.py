"""The goals of the product that can be measured. Their fields are paths for `page.Measured.value`."""

from __future__ import annotations

from dataclasses import replace

from datasets.measuring.results.film_goals import EVENT_F1, FILM_GOALS, Goal

_BENCH = ".venv/bin/pytest -m benchmark tests/benchmarks"
_PHOTOS = "shithead evaluate --json"
_FILMS = "shithead measure --no-lively"
_LIVELY = "shithead measure --lively"
_PEOPLE = "shithead measure --people all --plays 10"
_SOAK = "shithead soak --hours 2.22 --pace 1.8"


def _people(title: str, field: str, least: float | None = None, most: float | None = None) -> Goal:
    """Return a goal for films of whole people."""
    return Goal(title, f"people/{field}", least=least, most=most, form=".2f", command=_PEOPLE)


def _lively(title: str, field: str, least: float | None = None, most: float | None = None) -> Goal:
    """Return a goal for films of lively people."""
    return Goal(title, f"lively/{field}", least=least, most=most, form=".2f", command=_LIVELY)


def _photos(title: str, where: str, least: float, key: str = "recall") -> Goal:
    name, _, enrolled = where.partition("+")
    command = f"{_PHOTOS} {'--enrolled ' if enrolled else ''}--sets {name}"
    return Goal(title, f"photos/{where}/{key}", least=least, command=command)


def _wrong(title: str, name: str) -> Goal:
    """Return the goal for confident wrong names on a set whose deck is enrolled."""
    source, command = f"photos/{name}+deck/confidently_wrong_share", f"{_PHOTOS} --enrolled --sets {name}"
    return Goal(title, source, most=0.002, form=".4f", command=command)


def _bench(
    title: str,
    what: str,
    least: float | None = None,
    most: float | None = None,
    form: str = ".2f",
    file: str = "test_reading_speed.py",
) -> Goal:
    return Goal(title, f"benchmarks/{what}/value", least, most, form, f"{_BENCH}/{file}")


def _fuzz(
    title: str,
    what: str,
    least: float | None = None,
    most: float | None = None,
    form: str = ".2f",
    engine: str = "hypothesis",
) -> Goal:
    command = f".venv/bin/python tests/faults/fuzz.py --minutes 120 --engine {engine}"
    return replace(_bench(title, what, least, most, form), command=command)


def _kills(title: str, what: str, least: float | None = None, most: float | None = None) -> Goal:
    command = ".venv/bin/python tests/faults/killing.py /tmp/killed.sqlite --rounds 500"
    return replace(_bench(title, what, least, most, form=".0f"), command=command)


def _power_cuts(title: str, what: str, least: float | None = None, most: float | None = None) -> Goal:
    command = ".venv/bin/python tests/faults/power_cuts.py /tmp/cut --cuts 10000"
    return replace(_bench(title, what, least, most, form=".0f"), command=command)


def _covered(part: str, title: str) -> Goal:
    goal = _bench(f"share of statements that the tests run: {title}", f"covered_{part}", form=".3f")
    return replace(goal, command="make coverage")


def _film(goal: Goal) -> Goal:
    return replace(goal, field=f"films/overall/watch/{goal.field}", command=_FILMS)


def _event(kind: str) -> Goal:
    return Goal(f"F1 of `{kind}` events", f"films/events/{kind}/watch/f1", least=EVENT_F1, command=_FILMS)


_ENGINE = "test_engine_speed.py"
_WINDOW = "test_window.py"
_RANDOM = "test_random_games.py"
_SIMULATED = "test_simulated_games.py"
_FALSE = "test_false_events.py"
_FILM_EVENING = "test_evening_by_film.py"
_WEIGHTS = "test_weights.py"
_PHONES = "test_phones.py"
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
_PEOPLE_F1 = {1: 0.95, 2: 0.93, 3: 0.90}
"""The goal for F1 at each level of whole people (`datasets.films.people.levels`)."""
PARTS: dict[str, tuple[Goal, ...]] = {
    "The referee": (
        _bench(
            "four-player random Winnersh games per second, on one core",
            "random_games_per_s",
            300,
            form=".0f",
            file=_ENGINE,
        ),
        _bench("moves per second, on one core", "acts_per_s", 100_000, form=",.0f", file=_ENGINE),
        _bench("time for one ruling, µs", "ruling_us", most=50, form=".1f", file=_ENGINE),
        _bench(
            "random games that ended or reached the limit: 100,000 with each of the five rulesets",
            "random_games_ended_or_capped",
            500_000,
            form=",.0f",
            file=_RANDOM,
        ),
        _bench(
            "of those, games stopped at the limit: 1,000 moves without a burned card",
            "random_games_capped",
            form=",.0f",
            file=_RANDOM,
        ),
        _bench(
            "lawful simulated games with a false accusation: 200 per ruleset, with options, 2 to 5 players",
            "lawful_games_accused",
            most=0,
            form=".0f",
            file=_SIMULATED,
        ),
        _bench(
            "breaches in 200 cheating games of each ruleset",
            "cheats_committed",
            form=",.0f",
            file=_SIMULATED,
        ),
        _bench(
            "share of these breaches that are found",
            "cheats_found_share",
            least=1,
            form=".4f",
            file=_SIMULATED,
        ),
        _bench(
            "accusations in these games that no breach explains",
            "cheating_games_wrong_accusations",
            most=0,
            form=".0f",
            file=_SIMULATED,
        ),
    ),
    "Reading cards": (
        _photos("whole tables: share of face-up cards found", "vpo_table", 0.98),
        _photos("whole tables: share of face-up cards named correctly", "vpo_table", 0.97, "identity_right"),
        Goal(
            "whole tables: number of confident wrong names",
            "photos/vpo_table/confidently_wrong",
            most=0,
            form=".0f",
            command=f"{_PHOTOS} --sets vpo_table",
        ),
        _photos("whole tables, deck enrolled: share of face-up cards found", "vpo_table+deck", 0.99),
        _photos(
            "whole tables, deck enrolled: share of face-up cards named correctly",
            "vpo_table+deck",
            0.995,
            "identity_right",
        ),
        _wrong("whole tables, deck enrolled: share of confident wrong names", "vpo_table"),
        _photos("close photos: precision", "rf100_valid", 0.98, "precision"),
        _photos("close photos: recall", "rf100_valid", 0.97),
        _photos("untidy piles: precision", "laptopcam_piles", 0.92, "precision"),
        _photos("untidy piles: recall", "laptopcam_piles", 0.80),
        _photos("four fanned hands: precision", "bidly_fans", 0.98, "precision"),
        _photos("four fanned hands: recall", "bidly_fans", 0.90),
        _photos("share of face-down piles found", "evan_backs", 0.97),
        _photos(
            "unknown decks: share of cards named correctly",
            "held_out",
            0.97,
            "identity_right",
        ),
        _photos(
            "unknown decks, then enrolled: share of cards named correctly",
            "held_out+deck",
            0.995,
            "identity_right",
        ),
        _wrong("unknown decks, then enrolled: share of confident wrong names", "held_out"),
        _bench(
            "time for a drawn 1080p frame with 12 cards, divided by the time of a one-stage YOLO26n",
            "full_hd_share_of_rival",
            most=1,
        ),
        _bench("time for an unchanged frame, ms", "unchanged_frame_ms", most=1),
        _bench("time for a drawn picture of 12 megapixels with 12 cards, s", "twelve_megapixels_s", most=1),
        _bench("time for a drawn picture of 24 megapixels with 12 cards, s", "twenty_four_megapixels_s"),
        _bench("time for a drawn 4K frame with 12 cards, s", "four_k_frame_s"),
        _bench("time for an unchanged frame during a game, ms", "unchanged_frame_of_a_game_ms"),
        _bench("memory of a process that reads cards, MiB", "reading_memory_mib", most=400, form=".0f"),
        _bench(
            "size of the weights for a phone (without hands and 8-bit copies), MB",
            "weights_for_phone_mb",
            most=12,
            form=".1f",
            file=_WEIGHTS,
        ),
        _bench("size of all weights that ship, MB", "weights_mb", form=".1f", file=_WEIGHTS),
        _bench(
            "memory of a process that reads drawn pictures of 24 megapixels, MiB",
            "reading_memory_of_24_mp_mib",
            form=".0f",
        ),
        _bench(
            "cards recognised when you show a pack of 52 within a minute",
            "pack_in_a_minute_told",
            50,
            form=".0f",
            file="test_enrolment.py",
        ),
    ),
    "Following a game": (
        Goal("films measured", "films/films", least=40, form=".0f", command=_FILMS),
        *(_event(kind) for kind in _EVENTS),
        *(_film(goal) for goal in FILM_GOALS if goal.least is not None or goal.most is not None),
        _bench(
            "speed on a quiet machine, times real time",
            "watching_times_real_time",
            2,
            file="test_watching_speed.py",
        ),
        _bench(
            "events reported at a busy table where nobody plays, three minutes, watched as three games",
            "false_events_busy_table",
            most=0,
            form=".0f",
            file=_FALSE,
        ),
        _bench(
            "false events in 14 s of hands that deal blackjack",
            "false_events_other_game",
            most=0,
            form=".0f",
            file=_FALSE,
        ),
    ),
    "Following a lively game": (
        Goal("films measured", "lively/films", least=40, form=".0f", command=_LIVELY),
        _lively("F1 of all events", "overall/watch/f1", 0.97),
        *(_lively(f"F1 of `{kind}` events", f"events/{kind}/watch/f1") for kind in ("play", "draw")),
        _lively("share of games without a correction", "overall/watch/games_right", 0.7),
        _lively("share of breaches found", "overall/watch/illegal_found", 0.97),
        _lively("false alarms per game", "overall/watch/false_alarms_per_game", most=0.1),
        _lively("corrections per game", "overall/watch/corrections_per_game"),
        _lively("expected calibration error of `confidence`", "overall/watch/calibration_error", most=0.03),
        _lively("the plain baseline: F1 of all events", "overall/baseline/f1"),
        _lively("speed while other work ran, times real time", "overall/watch/speed"),
    ),
    "Following a game with whole people": (
        Goal("films measured, at four levels", "people/films", least=20, form=".0f", command=_PEOPLE),
        *(
            _people(
                f"level {level}: F1 of all events",
                f"conditions/company/whole people: level {level}/watch/f1",
                f1,
            )
            for level, f1 in _PEOPLE_F1.items()
        ),
        *(
            _people(f"F1 of `{kind}` events", f"events/{kind}/watch/f1")
            for kind in ("play", "draw", "pick_up")
        ),
        _people("share of events with the correct player", "overall/watch/player_right", 0.96),
        _people("share of breaches found", "overall/watch/illegal_found", 0.95),
        _people("false alarms per game", "overall/watch/false_alarms_per_game", most=0.3),
        _people("corrections per game", "overall/watch/corrections_per_game"),
        _people("expected calibration error of `confidence`", "overall/watch/calibration_error", most=0.03),
        _people("the plain baseline: F1 of all events", "overall/baseline/f1"),
        _people("speed while other work ran, times real time", "overall/watch/speed", 1.5),
    ),
    "The companion": (
        _bench("time from the start to the first picture, s", "first_picture_s", most=3, file=_WINDOW),
        _bench(
            "new pictures on the screen per second, for a film of 30, drawn in software",
            "pictures_shown_per_second",
            least=25,
            form=".1f",
            file=_WINDOW,
        ),
        _bench(
            "a minimal Kivy camera app, in the same run: time to the first picture, s",
            "bare_first_picture_s",
            file=_WINDOW,
        ),
        _bench(
            "a minimal Kivy camera app: new pictures on the screen per second",
            "bare_pictures_shown_per_second",
            form=".1f",
            file=_WINDOW,
        ),
        _bench("processor time per second while watching, s", "watching_cpu_share", file=_WINDOW),
        _bench("a minimal Kivy camera app: processor time per second, s", "bare_cpu_share", file=_WINDOW),
        _bench(
            "a polite film in the window: F1 of the events",
            "window_film_f1",
            least=EVENT_F1,
            form=".3f",
            file=_WINDOW,
        ),
        _bench(
            "an evening of 12 games by touch, 11 of them complete, with three kills: games tallied correctly",
            "touch_evening_games_tallied",
            12,
            form=".0f",
            file="test_whole_evening.py",
        ),
        _bench(
            "an evening of 12 filmed games (five rulesets, 2 and 3 players), with three kills: losers"
            " entered by hand",
            "film_evening_losers_entered",
            most=0,
            form=".0f",
            file=_FILM_EVENING,
        ),
        _bench(
            "the same filmed evening: games tallied correctly",
            "film_evening_games_tallied",
            12,
            form=".0f",
            file=_FILM_EVENING,
        ),
        _bench(
            "the same filmed evening: events that the store lost",
            "film_evening_lines_lost",
            most=0,
            form=".0f",
            file=_FILM_EVENING,
        ),
        _kills("kills (SIGKILL) at random moments of games by touch", "kills", least=500),
        _kills("of those, kills before the first event was shown", "kills_before_anything"),
        _kills(
            "of those, kills that lost an event that had been shown (the run ends at the first)",
            "kills_that_lost",
            most=0,
        ),
        _power_cuts("power cuts at random writes of the store (simulated)", "power_cuts", least=10_000),
        _power_cuts(
            "of those, cuts that lost what had been shown (the run ends at the first)",
            "power_cuts_that_lost",
            most=0,
        ),
    ),
    "Phones at the table": (
        _bench(
            "pictures per second, 1600 x 900", "phone_pictures_per_s_1600x900", 10, form=".1f", file=_PHONES
        ),
        _bench("pictures per second, 1080p", "phone_pictures_per_s_1080p", 8, form=".1f", file=_PHONES),
        _bench(
            "share of a core that the server takes, 1600 x 900",
            "phone_server_share_1600x900",
            most=0.2,
            file=_PHONES,
        ),
        _bench(
            "time from the phone's picture to the ruling on ten screens, without deciding, median, s",
            "phone_picture_to_screens_s",
            most=0.3,
            file=_PHONES,
        ),
        _bench(
            "time from opening the address to the first picture, s",
            "phone_first_picture_s",
            most=2,
            file=_PHONES,
        ),
        _bench("size of the page, kB", "phone_page_kb", most=100, form=".0f", file=_PHONES),
        _bench(
            "growth of memory in an hour with a camera and ten screens, MiB",
            "phone_memory_growth_mib",
            most=10,
            form=".1f",
            file=_PHONES,
        ),
    ),
    "The tests": (
        *(_covered(part, f"`{part}/`") for part in ("engine", "vision", "companion", "datasets", "models")),
        _covered("all", "all packages"),
    ),
    "Long runs": (
        Goal("hours of film", "soak/film_hours", least=4, form=".2f", command=_SOAK),
        Goal("pace, times real time", "soak/pace", most=1, form=".1f", command=_SOAK),
        Goal(
            "growth of memory, MiB per hour",
            "soak/memory_mib/growth_per_hour",
            most=1,
            form=".1f",
            command=_SOAK,
        ),
        Goal("peak memory, MiB", "soak/memory_mib/most", form=".0f", command=_SOAK),
        Goal(
            "time from picture to ruling in the first half, median, s",
            "soak/lag_s/first_half/median",
            form=".2f",
            command=_SOAK,
        ),
        Goal(
            "time from picture to ruling in the second half, median, s",
            "soak/lag_s/second_half/median",
            form=".2f",
            command=_SOAK,
        ),
        Goal(
            "second half divided by first half",
            "soak/lag_second_to_first",
            most=1.2,
            form=".2f",
            command=_SOAK,
        ),
        Goal("events that the store lost", "soak/lines_lost", most=0, form=".0f", command=_SOAK),
        Goal(
            "share of games whose loser the store names correctly",
            "soak/losers_right_share",
            least=1,
            form=".2f",
            command=_SOAK,
        ),
        _fuzz(
            "processor hours of fuzzing by Hypothesis",
            "fuzz_hypothesis_hours",
            least=2,
        ),
        _fuzz("inputs in these hours", "fuzz_hypothesis_inputs", form=",.0f"),
        _fuzz("faults that they found", "fuzz_hypothesis_findings", most=0, form=".0f"),
        _fuzz(
            "processor hours of fuzzing guided by coverage (Atheris)",
            "fuzz_atheris_hours",
            least=2,
            engine="atheris",
        ),
        _fuzz(
            "targets in which these found a fault",
            "fuzz_atheris_findings",
            most=0,
            form=".0f",
            engine="atheris",
        ),
    ),
}
"""The goals of each part of the product."""
