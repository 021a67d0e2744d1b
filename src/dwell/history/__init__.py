"""Past tests: logs of them, and what policies would have earned on them."""
