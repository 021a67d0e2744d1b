"""`python -m dwell`, where the script `dwell` is not on the path."""

from dwell.cli import main

main(prog_name="dwell")
