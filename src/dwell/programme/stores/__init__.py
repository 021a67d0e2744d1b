"""Stores: where the logs of programmes are kept."""
