"""The deal: one card at a time, clockwise from the left of the dealer. Down-cards, up-cards, then hands."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from datasets.films.choreography.stage import Piece, Stage
from datasets.films.choreography.tabletop import Habits, Tabletop
from datasets.films.geometry import CARD_THICKNESS_MM, Pose
from datasets.films.story import Story
from datasets.films.timeline import ArmName


class Deal:
    """One deal, gesture by gesture."""

    def __init__(
        self, stage: Stage, story: Story, tabletop: Tabletop, habits: Habits, rng: random.Random
    ) -> None:
        """Prepare; `play_out` deals."""
        self._stage, self._story, self._tabletop = stage, story, tabletop
        self._habits, self._rng = habits, rng
        self._arm: ArmName = (story.dealer, "main")
        self._pack: ArmName = (story.dealer, "other")

    def play_out(self) -> None:
        """Deal everything and put the rest of the pack in the middle."""
        story, stage, table = self._story, self._stage, self._tabletop
        dealer = story.players.index(story.dealer)
        order = [story.players[(dealer + 1 + i) % len(story.players)] for i in range(len(story.players))]
        self._bring_pack()
        for index in range(story.down_count):
            for player in order:
                piece = stage.new_piece(None, face_up=False)
                table.down[player].append(piece)
                self._toss(piece, self._row_place(player, index))
        for index in range(max(map(len, story.up.values()), default=0)):
            for player in order:
                piece = stage.new_piece(story.up[player][index], face_up=False)
                table.up[player].append((index, piece))
                self._toss(piece, self.place_on_down(player, index), face_up=True)
        hands: dict[str, list[Piece]] = {player: [] for player in order}
        for index in range(story.hand_count):
            for player in order:
                piece = stage.new_piece(None, face_up=False)
                hands[player].append(piece)
                if self._habits.hands_wait:
                    self._toss(piece, self._beside_row(player, index))
                else:
                    self._toss(piece, self._into_lap(player, index), leaves=True)
        stage.go_home(self._arm)
        self._put_pack()
        stage.go_home(self._pack)
        if self._habits.hands_wait:
            self._take_hands(hands)

    def _bring_pack(self) -> None:
        """The other hand of the dealer brings the pack to just inside the edge of the table."""
        stage, story = self._stage, self._story
        seat = stage.layout.seat(story.dealer)
        side = -1.0 if seat.right_handed else 1.0
        spot = seat.edge.shifted(side * 150.0, self._rng.uniform(-30.0, 0.0))
        draw = [stage.new_piece(None, face_up=False) for _ in range(story.draw_count)]
        target = stage.arm_at(self._pack, spot.x, spot.y, 30.0, "hold")
        ends = [replace(stage.held(target, 0), z=20.0 + i * CARD_THICKNESS_MM) for i in range(len(draw))]
        stage.carry(self._pack, target, draw, ends)
        self._tabletop.draw = draw

    def _toss(self, piece: Piece, place: Pose, *, face_up: bool = False, leaves: bool = False) -> None:
        """Deal one card: the hand of the dealer takes it from the pack, swings out, and lets it slide."""
        stage, pace, arm = self._stage, self._habits.deal_pace, self._arm
        source = stage.arm_pose(self._pack)
        take = stage.arm_at(arm, source.x, source.y, 34.0, "point")
        stage.reach(arm, take, seconds=pace * 0.42)
        piece.pose = stage.held(take, piece.number)
        distance = math.hypot(place.x - take.x, place.y - take.y)
        share = min(1.0, self._rng.uniform(0.45, 0.65) * 420.0 / max(distance, 1.0))
        over = stage.over(arm, place)
        x, y = take.x + (over.x - take.x) * share, take.y + (over.y - take.y) * share
        target = stage.arm_at(arm, x, y, 14.0, "point")
        swing, slide = pace * 0.58, 0.22 * (1.0 - share)
        stage.carry(
            arm,
            target,
            [piece],
            [place],
            face_up=face_up,
            seconds=swing,
            slide=slide,
            lift=10.0,
            leaves=leaves,
        )

    def _put_pack(self) -> None:
        """Put the rest of the pack in the middle, as the draw pile."""
        stage, draw, middle = self._stage, self._tabletop.draw, self._stage.layout.draw
        if not draw:
            return
        seat = stage.layout.seat(self._story.dealer)
        loose = [middle.blended(stage.jittered(middle, seat, i), 0.35) for i in range(len(draw))]
        ends = [replace(pose, z=i * CARD_THICKNESS_MM) for i, pose in enumerate(loose)]
        stage.carry(self._pack, stage.over(self._pack, ends[-1]), draw, ends)

    def _take_hands(self, hands: dict[str, list[Piece]]) -> None:
        """All players take up their cards, nearly at once."""
        stage = self._stage
        ends = []
        begin = stage.now
        for player, pieces in hands.items():
            if not pieces:
                continue
            stage.now = begin + self._rng.uniform(0.1, 0.9)
            arm = (player, "main")
            top = pieces[-1].pose
            assert top is not None  # they have just been dealt onto the table
            stage.reach(arm, stage.over(arm, top, "flat", forward=10.0))
            stage.wait(0.15, 0.35)
            ends.append(stage.go_home(arm, pieces))
        stage.now = max(ends, default=begin)

    def _row_place(self, player: str, index: int) -> Pose:
        place, rng = self._stage.layout.seat(player).row[index], self._rng
        return Pose(place.x + rng.gauss(0, 2.5), place.y + rng.gauss(0, 2.5), place.angle + rng.gauss(0, 2.0))

    def place_on_down(self, player: str, index: int) -> Pose:
        """Return the pose of an up-card on the down-card in place `index` of the row."""
        below = self._tabletop.down[player]
        place = (below[index].pose if index < len(below) else None) or self._stage.layout.seat(player).row[
            index
        ]
        (right, towards), rng = self._habits.up_offset, self._rng
        return place.shifted(
            right + rng.gauss(0, 2.0), towards + rng.gauss(0, 2.5), rng.gauss(0, 2.5), CARD_THICKNESS_MM
        )

    def _beside_row(self, player: str, index: int) -> Pose:
        """Return the pose of a waiting hand card: to the right of the row, near the edge."""
        seat, rng = self._stage.layout.seat(player), self._rng
        return seat.row[-1].shifted(
            88.0 + rng.gauss(0, 7), 10.0 + rng.gauss(0, 7), rng.gauss(0, 9), index * CARD_THICKNESS_MM
        )

    def _into_lap(self, player: str, index: int) -> Pose:
        """Return where a hand card slides to: over the edge of the table, to the player."""
        home = self._stage.layout.seat(player).home
        return home.shifted(self._rng.uniform(-60, 40), 40.0 + 8.0 * index, self._rng.uniform(-30, 30))
