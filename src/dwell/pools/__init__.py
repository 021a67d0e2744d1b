"""Pools of ideas: what tests say of the values in them, and the best boundaries for them."""
