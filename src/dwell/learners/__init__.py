"""Learners: pure state machines that find the policy with the highest ROI.

`begin` says how a task is to be run, `learn` takes in what it taught, in the order of beginning.
There is no I/O, no clock and no randomness in a learner, and its state is JSON: the lab, the
evaluation of a history and a live programme drive the same code.
"""
