"""The demo: a company that does not exist, testing ideas day by day."""
