"""A pair of pictures whose comparisons are told instead of made, for the tests of the event logic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vision.following.close_ups import ALIKE, PicturePair
from vision.table.observations import Observation

Asked = Callable[..., bool]


def no(*_: object) -> bool:
    return False


@dataclass(frozen=True)
class ToldPair(PicturePair):
    """Each function answers for the method after which it is named in `told_pair`."""

    told: tuple[Asked, ...] = (no,) * 6
    no_hand: bool = True

    @property
    def free(self) -> bool:
        return self.no_hand

    def lay_there(self, card: Observation, alike: float = ALIKE, upon: Sequence[Observation] = ()) -> bool:
        return self.told[0](card)

    def shows_new(self, card: Observation) -> bool:
        return self.told[1](card)

    def looks_as_before_beside(self, card: Observation, upon: Sequence[Observation]) -> bool:
        return self.told[2](card, upon)

    def edge_as_before(self, card: Observation, upon: Sequence[Observation]) -> bool:
        return self.told[3](card, upon)

    def index_shows_beside(self, card: Observation, other: Observation) -> bool:
        return self.told[4](card, other)

    def stays_beneath(
        self, card: Observation, upon: Sequence[Observation], alike: Sequence[Observation]
    ) -> bool:
        return self.told[5](card, upon, alike)


def told_pair(
    lay_there: Asked = no,
    shows_new: Asked = no,
    as_before_beside: Asked = no,
    *,
    edge_as_before: Asked = no,
    index_shows_beside: Asked = no,
    stays_beneath: Asked = no,
    free: bool = True,
) -> PicturePair:
    told = (lay_there, shows_new, as_before_beside, edge_as_before, index_shows_beside, stays_beneath)
    return ToldPair(told=told, no_hand=free)


ALL_NEW = told_pair(shows_new=lambda _: True)
"""Pictures that show that whatever is seen was not there before."""
