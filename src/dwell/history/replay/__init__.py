"""Replay: what policies would have done on past tests, and what they would have earned."""
