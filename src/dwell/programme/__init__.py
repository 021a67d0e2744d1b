"""Live programmes: many tests at once, decided and learned from, with nothing that is lost."""
