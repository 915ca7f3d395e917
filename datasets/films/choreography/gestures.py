"""Plays each action of the game as gestures of hands and cards on the stage."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from datasets.films.choreography.dealing import Deal
from datasets.films.choreography.stage import GRIP_TO_CENTRE_MM, Piece, Stage
from datasets.films.choreography.tabletop import Habits, Tabletop, placed
from datasets.films.geometry import CARD_THICKNESS_MM, Pose
from datasets.films.story import Step
from datasets.films.timeline import ArmName
from engine.cards import RANK_OF

_STEPS = {"stack": (1.0, 6.0), "squared": (0.0, 2.0)}
"""Least and greatest distance between the cards of a set, mm, by the manner of the player."""
Record = Callable[..., None]
"""record(start_s, end_s, step, **more fields of the line in the truth)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that gestures need."""

    stage: Stage
    tabletop: Tabletop
    deal: Deal
    habits: Habits
    rng: random.Random
    record: Record


class Gestures:
    """The gestures of people at the table. Each method plays and records one step of the story."""

    def __init__(self, setting: Setting) -> None:
        """Continue on the stage after the deal."""
        self._stage, self._tabletop, self._deal = setting.stage, setting.tabletop, setting.deal
        self._habits, self._rng, self._record = setting.habits, setting.rng, setting.record
        self.stays = False
        """Whether the hand stays after this action, because its next one follows at once."""

    def before(self, step: Step, later: Sequence[Step]) -> None:
        """Play acts before a step that are no events: none, except in a lively company."""

    def exchange(self, step: Step) -> None:
        """Take up-cards away, then put others in their places."""
        stage, table, player = self._stage, self._tabletop, str(step.player)
        arm, begin = (player, "main"), self._stage.now
        places, end = [], stage.now
        for card in step.up_out:
            index, piece = table.take_up(player, card)
            places.append(index)
            self._take(arm, piece)
            end = stage.now
        for index, card in zip(places, step.hand_out, strict=True):
            stage.wait(0.3, 0.8)
            piece = stage.new_piece(card, face_up=True)
            place = self._deal.place_on_down(player, index)
            self._put(arm, [piece], [place])
            table.up[player].append((index, piece))
            end = stage.now
            stage.go_home(arm)
        table.up[player].sort(key=lambda entry: entry[0])
        up = {player: [str(piece.card) for _, piece in table.up[player]]}
        self._record(begin, end, step, up=up, hand_out=list(step.hand_out), up_out=list(step.up_out))

    def play(self, step: Step) -> None:
        """Put a set on the play pile, all at once or card by card.

        Cards of different ranks always go down at once, because they must not go together. Laid singly, the
        second would look like a further turn.
        """
        stage, table, player = self._stage, self._tabletop, str(step.player)
        arm, begin = (player, "main"), self._stage.now
        from_hand, from_table = self._set_of(step)
        places = self._places_on_pile(player, len(step.cards))
        one_rank = len({RANK_OF[card] for card in step.cards}) == 1
        singly = one_rank and stage.manners[player].sets in ("singly", "stack")
        batches = [[piece] for piece in from_hand] if singly else [from_hand]
        for number, batch in enumerate(batch for batch in batches if batch):
            if number:
                stage.go_home(arm, wait=True, hurry=1.5)
            where, places = places[: len(batch)], places[len(batch) :]
            self._play_to(arm, batch, where, hurry=1.4 if number else 1.0)
        for piece, place in zip(from_table, places, strict=True):
            stage.reach(arm, stage.over(arm, placed(piece), "point"))
            stage.wait(0.1, 0.2)
            self._put(arm, [piece], [place])
        pieces = [*from_hand, *from_table]
        table.pile += pieces
        self._record(begin, stage.now, replace(step, cards=tuple(str(piece.card) for piece in pieces)))
        self._leave(arm)

    def flip(self, step: Step) -> None:
        """Turn a down-card over onto the pile."""
        stage, player = self._stage, str(step.player)
        arm, begin = (player, "main"), self._stage.now
        piece = self._tabletop.take_down(player, self._rng)
        piece.card = step.cards[0]
        stage.reach(arm, stage.over(arm, placed(piece), "point"))
        stage.wait(0.1, 0.3)
        self._put(arm, [piece], self._places_on_pile(player, 1))
        self._tabletop.pile.append(piece)
        self._record(begin, stage.now, step)
        self._leave(arm)

    def draw(self, step: Step) -> None:
        """Take cards from the draw pile, one each time."""
        arm, begin = (str(step.player), "main"), self._stage.now
        for number in range(step.count or 0):
            self._take(arm, self._tabletop.draw.pop(), hurry=1.3 if number else 1.0)
        self._record(begin, self._stage.now, step)

    def take_up(self, step: Step) -> None:
        """Take up-cards into the hand."""
        arm, begin = (str(step.player), "main"), self._stage.now
        for card in step.cards:
            self._take(arm, self._tabletop.take_up(arm[0], card)[1])
        self._record(begin, self._stage.now, step)

    def take_down(self, step: Step) -> None:
        """Take down-cards into the hand, without showing them."""
        arm, begin = (str(step.player), "main"), self._stage.now
        for _ in range(step.count or 1):
            self._take(arm, self._tabletop.take_down(arm[0], self._rng))
        self._record(begin, self._stage.now, step)

    def pick_up(self, step: Step) -> None:
        """Gather the play pile and take it off the table, sometimes in two parts."""
        stage, rng, pile = self._stage, self._rng, self._tabletop.pile
        arm, begin = (str(step.player), "main"), self._stage.now
        goes = [pile]
        if len(pile) > 7 and rng.random() < 0.4:
            cut = rng.randrange(2, len(pile) - 2)
            goes = [pile[cut:], pile[:cut]]
        if not pile:  # the player taps the table to pick up nothing
            stage.reach(arm, stage.over(arm, stage.layout.play, "flat"))
            stage.wait(0.3, 0.5)
            stage.go_home(arm, wait=True)
        for pieces in goes if pile else []:
            self._gather(arm, pieces)
            stage.go_home(arm, pieces)
        self._tabletop.pile = []
        self._record(begin, stage.now, step)

    def burn(self, step: Step) -> None:
        """Move the play pile to the burn pile, usually face down."""
        stage, face_up = self._stage, self._habits.burn_face_up
        arm, begin = (str(step.player), "main"), self._stage.now
        pieces = self._tabletop.burn(step.cards)
        self._gather(arm, pieces)
        self._to_burn_pile(arm, pieces if face_up else pieces[::-1], face_up=face_up)
        self._record(begin, stage.now, step)
        self._leave(arm)

    def show(self, step: Step) -> None:
        """Hold a 3 out towards a player. Others may answer. Then the 3s go to the burn pile.

        A player who answers an answer first takes back the card in hand.
        """
        stage, begin = self._stage, self._stage.now
        arm, piece = self._hold_out(str(step.player), str(step.to), step.cards[0], None)
        shown = {arm: [piece]}
        for (by, to), card in zip(step.answers, step.answer_cards, strict=True):
            stage.wait(0.3, 0.9)
            arm = (by, "main")
            if arm in shown:
                stage.go_home(arm, shown[arm][-1:])
            arm, piece = self._hold_out(by, to, card, step.answered_from)
            shown.setdefault(arm, []).append(piece)
        face_up = self._habits.burn_face_up or self._rng.random() < 0.3
        for arm, pieces in shown.items():
            for brought in filter(None, (pieces[-1:], pieces[:-1])):
                self._to_burn_pile(arm, brought, face_up=face_up)
                stage.go_home(arm, wait=len(pieces) > 1)
        self._record(begin, stage.now, step)

    def fidget(self, player: str) -> None:
        """Point at the pile, or square it. This is no event."""
        stage, pile, arm = self._stage, self._tabletop.pile, (player, "main")
        if len(pile) > 2 and self._rng.random() < 0.5:
            self._gather(arm, pile)
        else:
            near = stage.layout.play.shifted(self._rng.uniform(-60, 60), self._rng.uniform(-40, 40))
            stage.reach(arm, stage.over(arm, replace(near, z=40.0), "point", forward=60.0))
            stage.wait(0.2, 0.6)
        stage.go_home(arm, wait=True)

    # -- parts of gestures -------------------------------------------------------------------------

    def _take(self, arm: ArmName, piece: Piece, hurry: float = 1.0) -> None:
        """Take one card off the table and out of the picture."""
        stage = self._stage
        stage.reach(arm, stage.over(arm, placed(piece), "point"), hurry=hurry)
        stage.wait(0.08, 0.25)
        stage.go_home(arm, [piece], hurry=1.1)

    def _put(self, arm: ArmName, pieces: list[Piece], places: list[Pose], hurry: float = 1.0) -> None:
        """Carry pieces, bottom first, to their places, face up, and let go."""
        self._stage.carry(arm, self._stage.over(arm, places[-1]), pieces, places, face_up=True, hurry=hurry)
        self._stage.wait(0.04, 0.14)

    def _play_to(self, arm: ArmName, pieces: list[Piece], places: list[Pose], hurry: float) -> None:
        """Put played cards down, or toss them from a short distance."""
        stage, rng, tosses = self._stage, self._rng, self._stage.manners[arm[0]].tosses
        if not tosses or rng.random() >= tosses:
            self._put(arm, pieces, places, hurry)
            return
        aside = (rng.gauss(0, 9), rng.gauss(0, 9), rng.gauss(0, 10))
        ends = [pose.shifted(*aside) for pose in places]
        short, slide = rng.uniform(90.0, 200.0), rng.uniform(0.15, 0.3)
        target = stage.over(arm, ends[-1], forward=GRIP_TO_CENTRE_MM + short)
        stage.carry(arm, target, pieces, ends, face_up=True, hurry=hurry * 1.3, slide=slide)
        stage.wait(slide, slide + 0.1)

    def _leave(self, arm: ArmName) -> None:
        if not self.stays:
            self._stage.go_home(arm)

    def _set_of(self, step: Step) -> tuple[list[Piece], list[Piece]]:
        """Return the pieces of a played set that come from the hand, and those from the table."""
        from_hand, from_table = [], []
        for card in step.cards:
            lying = (
                self._tabletop.find_up(str(step.player), card) if step.source in ("up", "hand+up") else None
            )
            if lying:
                from_table.append(lying[1])
            else:
                from_hand.append(self._stage.new_piece(card, face_up=True))
        return from_hand, from_table

    def _places_on_pile(self, player: str, count: int) -> list[Pose]:
        """Return the poses of a set of `count` cards on the play pile."""
        stage, rng = self._stage, self._rng
        seat, manner, height = stage.layout.seat(player), stage.manners[player], len(self._tabletop.pile)
        # Cards face roughly as the player sits, or as the pile lies.
        facing = seat.angle if rng.random() < 0.75 else stage.layout.play.angle
        first = stage.jittered(replace(stage.layout.play, angle=facing + rng.gauss(0, 4)), seat, height)
        step = rng.uniform(15.0, 25.0)
        if manner.sets in _STEPS:
            step = rng.uniform(*_STEPS[manner.sets])
        right, down = (0.0, step + 4.0) if manner.sets == "down" else (step, 0.0)
        turn = rng.uniform(0.0, 4.0)
        places = []
        for index in range(count):
            along = index - (count - 1) / 2.0
            slack = 1.2 if index else 0.0
            lift = index * CARD_THICKNESS_MM
            shift = (along * right + rng.gauss(0, slack), along * down + rng.gauss(0, slack))
            places.append(first.shifted(*shift, along * turn, lift))
        return places

    def _gather(self, arm: ArmName, pieces: list[Piece]) -> None:
        """Lay the flat hand on a pile, and often pull it together a little."""
        stage = self._stage
        middle = placed(pieces[-1])
        stage.reach(arm, stage.over(arm, middle, "flat", forward=8.0))
        stage.wait(0.1, 0.3)
        if self._rng.random() < 0.6 and len(pieces) > 1:
            ends = [replace(placed(piece).blended(middle, 0.6), z=placed(piece).z) for piece in pieces]
            stage.carry(
                arm, stage.arm_pose(arm), pieces, ends, seconds=self._rng.uniform(0.25, 0.5), lift=0.0
            )

    def _to_burn_pile(self, arm: ArmName, pieces: list[Piece], *, face_up: bool) -> None:
        stage, rng, burned = self._stage, self._rng, self._tabletop.burned
        heap, angle = stage.layout.burn, rng.uniform(0, 360)
        ends = []
        for index in range(len(pieces)):
            x, y = heap.x + rng.gauss(0, 7), heap.y + rng.gauss(0, 7)
            ends.append(Pose(x, y, angle + rng.gauss(0, 14), (len(burned) + index) * CARD_THICKNESS_MM))
        stage.carry(arm, stage.over(arm, ends[-1]), pieces, ends, face_up=face_up)
        stage.wait(0.05, 0.15)
        burned += pieces

    def _hold_out(self, player: str, to: str, card: str, source: str | None) -> tuple[ArmName, Piece]:
        """Hold a card out towards a player, and keep it there; returns the arm and the card."""
        stage, rng, habits = self._stage, self._rng, self._habits
        arm = (player, "main")
        edge, share = stage.layout.seat(to).edge, habits.show_reach
        x, y = edge.x * share + rng.gauss(0, 12), edge.y * share + rng.gauss(0, 12)
        target = stage.arm_at(arm, x, y, 45.0, "hold")
        piece = self._piece_to_show(player, card, source)
        if piece.pose:
            stage.reach(arm, stage.over(arm, piece.pose, "point"))
        stage.carry(arm, target, [piece], [stage.held(target, piece.number)], face_up=True)
        for _ in range(2):  # a hand is never quite still
            sway = replace(target, x=target.x + rng.gauss(0, 2.5), y=target.y + rng.gauss(0, 2.5))
            seconds = rng.uniform(*habits.show_seconds) / 2.0
            stage.carry(arm, sway, [piece], [stage.held(sway, piece.number)], seconds=seconds, lift=0.0)
        return arm, piece

    def _piece_to_show(self, player: str, card: str, source: str | None) -> Piece:
        """Return the piece of a shown card, from the hand or the table."""
        lying = self._tabletop.find_up(player, card) if source == "up" else None
        if lying:
            return lying[1]
        if source == "down" and self._tabletop.down[player]:
            piece = self._tabletop.take_down(player, self._rng)
            piece.card = card
            return piece
        return self._stage.new_piece(card, face_up=True)
