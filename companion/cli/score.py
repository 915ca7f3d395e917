"""`shithead score`: compare reported events with the true ones."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.game.scoring import Score


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "score", help="compare the events of `shithead watch` with a film's truth"
    )
    parser.add_argument("events", metavar="EVENTS.jsonl", help="what `shithead watch --events` wrote")
    parser.add_argument("truth", metavar="TRUTH.jsonl", help="what `shithead film` or `shithead label` wrote")
    parser.add_argument("--json", action="store_true", help="one JSON object, for machines")
    parser.add_argument("--details", action="store_true", help="list what was missed, invented or mistaken")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the score. Raises BadInputError if a file holds no events or no truth."""
    from companion.game.scoring import compare, read_events, read_truth

    score = compare(read_events(args.events), read_truth(args.truth))
    print(json.dumps(score.to_json()) if args.json else score_text(score, details=args.details))
    return 0


def score_text(score: Score, *, details: bool = False) -> str:
    """Return the score as a table for people."""
    result = score.to_json()
    lines = [f"{'event':<12}{'true':>6}{'reported':>10}{'matched':>9}{'precision':>11}{'recall':>8}{'F1':>8}"]
    for kind, row in [*result["events"].items(), ("overall", result["overall"])]:
        measures = (row["precision"], row["recall"], row["f1"])
        precision, recall, f1 = ("-" if value is None else f"{value:.3f}" for value in measures)
        counts = f"{row['true']:>6}{row['reported']:>10}{row['matched']:>9}"
        lines.append(f"{kind:<12}{counts}{precision:>11}{recall:>8}{f1:>8}")
    rulings, illegal, delay = result["rulings"], result["illegal"], result["delay_s"]
    lines += [
        f"rulings right      {rulings['right']} of {rulings['judged']} ({rulings['unproven']} unproven)",
        f"illegal plays      {illegal['found']} of {illegal['true']} found,"
        f" {illegal['false_alarms']} false alarms",
        f"corrections needed {result['corrections']}, questions asked {result['asked']}",
    ]
    if delay["median"] is not None:
        lines.append(f"seconds to decide  {delay['median']:.2f} median, {delay['p95']:.2f} 95th percentile")
    if details:
        lines += [f"missed: {json.dumps(line)}" for line in result["missed"]]
        lines += [f"invented: {json.dumps(line)}" for line in result["spurious"]]
        lines += [f"mistaken: {json.dumps(pair)}" for pair in result["mistaken"]]
    return "\n".join(lines)
