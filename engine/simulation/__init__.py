"""Games between simulated players, in which every card is known."""
