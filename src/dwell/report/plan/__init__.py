"""What a plan comes to: in words, tables, figures and a page."""
