"""History: what policies would have earned on tests that were run."""
