"""Which of several things is which, when each name can be given once: the assignment problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def linear_sum_assignment(costs: ArrayLike) -> NDArray[np.intp]:
    """Return the column of each row, no column twice, that make the least sum of costs (N x M, N <= M).

    Shortest augmenting paths with dual prices (Kuhn 1955; Jonker and Volgenant 1987). Costs are finite.
    """
    cost = np.asarray(costs, np.float64)
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows cannot have different columns of {columns}")
    row_price, column_price = np.zeros(rows), np.zeros(columns + 1)
    holder = np.full(columns + 1, -1)  # the row that has each column; the last column is a start, no choice
    for row in range(rows):
        holder[columns] = row
        at = columns
        least, before = np.full(columns, np.inf), np.full(columns, columns)
        done = np.zeros(columns + 1, bool)
        while holder[at] >= 0:
            done[at] = True
            here = holder[at]
            reduced = cost[here] - row_price[here] - column_price[:columns]
            better = ~done[:columns] & (reduced < least)
            least[better], before[better] = reduced[better], at
            following = int(np.where(done[:columns], np.inf, least).argmin())
            step = least[following]
            row_price[holder[done]] += step
            column_price[done] -= step
            least[~done[:columns]] -= step
            at = following
        while at != columns:
            holder[at] = holder[before[at]]
            at = before[at]
    chosen = np.zeros(rows, np.intp)
    for column in range(columns):
        if holder[column] >= 0:
            chosen[holder[column]] = column
    return chosen
