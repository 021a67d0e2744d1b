"""The web page: what a lead opens every morning."""
