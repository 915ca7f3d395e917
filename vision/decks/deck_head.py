"""Naming the cards of an enrolled deck by their features: a ridge regression beside the networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError
from vision.decks.card_classes import CARDS
from vision.decks.deck import DECK_CARDS, Deck
from vision.decks.templates import CardTemplates

RIDGE_PENALTY = 20.0
"""Penalty of the regression on its weights, for standardised features."""
LOGIT_SCALE = 8.0
"""Factor from scores of the regression (about 1 for the right card, 0 for others) to logits."""
DECK_WEIGHT = 1.0
"""Weight of a complete deck's opinion beside that of the networks. An incomplete deck counts less, because
unknown cards are in play too: its weight falls with the square of its share of the 52 cards."""
DECK_INDEX_WEIGHT = 0.5
"""Weight of the deck's opinion on a lone index."""
_OPEN_CARD_MAX_BLANK_P = 0.001
"""If the networks think it less probable than this that nothing can be read, a card is fully visible. The
deck is trusted then."""
_LEAD_RANGE = (0.2, 0.4)
"""Otherwise the lead of its best card's score decides. Up to the first value the deck is not trusted, and
from the second one on it is fully trusted."""


class _RidgeRegression:
    """A ridge regression from features to cards (Hoerl and Kennard 1970)."""

    def __init__(self, examples: NDArray[np.floating], targets: NDArray[np.float64]) -> None:
        """Fit to examples (N x features) and targets (N x cards, 1 for the right card)."""
        values = np.asarray(examples, np.float64)
        self._mean, self._spread = values.mean(axis=0), values.std(axis=0) + 1e-3
        inputs = self._standardised(values)
        penalty = RIDGE_PENALTY * np.eye(inputs.shape[1])
        penalty[-1, -1] = 1e-6  # the constant has no penalty
        self._solution = np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ targets)

    def _standardised(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        values = (np.asarray(features, np.float64) - self._mean) / self._spread
        return np.column_stack([values, np.ones(len(values))])

    def scores(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return a score for each card (N x cards): about 1 for the right one, 0 for others."""
        return np.asarray(self._standardised(features) @ self._solution)


class DeckHead:
    """Names the cards of one deck by their features: whole cards, and lone indices."""

    def __init__(self, deck: Deck) -> None:
        """Fit to the examples of a deck.

        Raises:
            BadInputError: The deck has fewer than two different cards.
        """
        self.name, self.weights_fingerprint = deck.name, deck.weights_fingerprint
        self.templates = (
            CardTemplates.build(deck.template_cards, deck.templates) if deck.template_cards else None
        )
        self.enrolled = tuple(sorted(set(deck.cards), key=DECK_CARDS.index))
        if len(self.enrolled) < 2:
            raise BadInputError("deck {name}: at least two different cards are needed", name=deck.name)
        known = len(set(self.enrolled) & set(CARDS))
        self._weight = DECK_WEIGHT * (known / len(CARDS)) ** 2
        self._complete = known == len(CARDS)
        self._columns = np.array([DECK_CARDS.index(card) for card in self.enrolled])
        self._examples = deck.features
        self._targets = np.array(
            [[card == known for known in self.enrolled] for card in deck.cards], np.float64
        )
        self._card_regression = _RidgeRegression(self._examples, self._targets)
        self._index_regression: _RidgeRegression | None = None

    def refine(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the networks' log-probabilities (N x classes) with the deck's opinion added, normalised.

        `features` are those of whole cards, N x number of features.
        """
        return self._combined(log_probabilities, self._card_regression.scores(features), self._weight)

    def refine_index(
        self, log_probabilities: NDArray[np.float64], features: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the networks' log-probabilities for lone indices (N x classes) with the deck's opinion.

        `features` are those of the two crops of each index, side by side. An incomplete deck adds nothing,
        because an index does not show whether it belongs to an unknown card.
        """
        if not self._complete or not len(features):
            return log_probabilities
        if self._index_regression is None:
            size = features.shape[1] // 2
            # The last four parts of an example are its corner crops: both exact ones, then both wide ones.
            parts = np.split(self._examples[:, -4 * size :], 4, axis=1)
            both = [np.concatenate(parts[k::2], axis=1) for k in (0, 1)]
            self._index_regression = _RidgeRegression(
                np.concatenate(both), np.concatenate([self._targets] * 2)
            )
        return self._combined(log_probabilities, self._index_regression.scores(features), DECK_INDEX_WEIGHT)

    def classify(self, features: NDArray[np.float32]) -> str:
        """Return the deck's own opinion on one card, by the features of its views (views x features)."""
        return self.enrolled[int(np.median(self._card_regression.scores(features), axis=0).argmax())]

    def _combined(
        self, log_probabilities: NDArray[np.float64], scores: NDArray[np.float64], weight: float
    ) -> NDArray[np.float64]:
        """Return log-probabilities with the scores' opinion added, as far as it is trusted, normalised."""
        logits = LOGIT_SCALE * scores
        opinion = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        heard = weight * _trust(np.exp(log_probabilities[:, -1]), scores)[:, None]
        # Cards without examples get the mean opinion: the deck says neither yes nor no.
        total = log_probabilities + heard * np.log(1 / len(self.enrolled))
        total[:, self._columns] = log_probabilities[:, self._columns] + heard * opinion
        return np.asarray(total - np.logaddexp.reduce(total, axis=1, keepdims=True))


def _trust(blank: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the deck's opinion is trusted (N, 0..1).

    The deck knows its cards only whole and alone. It names a half-covered card too, or an outline drawn
    through two cards, but without knowledge. `blank` (N) is the networks' probability that nothing can be
    read.
    """
    first, second = np.sort(scores, axis=1)[:, [-1, -2]].T
    plainly = (first - second - _LEAD_RANGE[0]) / (_LEAD_RANGE[1] - _LEAD_RANGE[0])
    return np.asarray(np.clip(np.maximum(1 - blank / _OPEN_CARD_MAX_BLANK_P, plainly), 0, 1))
