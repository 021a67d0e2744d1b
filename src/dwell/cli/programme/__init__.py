"""`dwell programme`: tests as they run."""

from dwell.cli.programme import create as create
from dwell.cli.programme import programmes as programmes
from dwell.cli.programme import sync as sync
from dwell.cli.programme import tasks as tasks
from dwell.cli.programme.group import programme as programme
