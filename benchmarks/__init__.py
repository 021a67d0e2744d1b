"""How fast dwell is, as ratios to rivals that do the same work in the same run."""
