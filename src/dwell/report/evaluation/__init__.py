"""What policies would have earned on past tests: in words, tables, figures and a page."""
