"""Datasets: logs to try things on, synthetic and published."""
