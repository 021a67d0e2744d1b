"""Tables and figures of what the lab finds."""
