"""The command line: parse, call, print.

Nothing heavy is imported before a command runs: `dwell --help` loads no numerical library.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from dwell import __version__
from dwell.cli.bench import bench
from dwell.cli.demo import demo
from dwell.cli.evaluate import evaluate
from dwell.cli.exact import exact
from dwell.cli.history import history
from dwell.cli.output import say
from dwell.cli.plan import plan
from dwell.cli.programme import programme
from dwell.cli.reproduce import reproduce
from dwell.cli.serve import serve
from dwell.cli.simulate import simulate
from dwell.cli.token import token
from dwell.errors import DwellError, NothingWorthTesting

_BAD_INPUT = 2
_NOTHING_WORTH_TESTING = 3
_INTERRUPTED = 130
_OUTPUT_FAILS = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT)
_NOBODY_READS = 141  # as of whatever else writes to a pipe that nobody reads: 128 + SIGPIPE


class _Commands(click.Group):
    """Turns whatever goes wrong into one sentence and an exit code: the only place that does."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and leave the process."""
        if sys.stderr is None:  # closed: what would be said there is for nobody
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it is open as long as the process
        if sys.stdout is None:
            _leave("Error: the standard output is closed; open it or send it to a file", _BAD_INPUT)
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
        except click.Abort:
            _leave("Stopped.", _INTERRUPTED)
        except click.ClickException as error:
            _leave(f"Error: {error.format_message()}", _BAD_INPUT)
        except NothingWorthTesting as answer:
            _leave(f"Answer: {answer}", _NOTHING_WORTH_TESTING)
        except DwellError as error:
            _leave(f"Error: {error}", _BAD_INPUT)
        except MemoryError:
            _leave("Error: this takes more memory than there is; use smaller caps", _BAD_INPUT)
        except OSError as error:
            if error.filename is not None or error.errno not in _OUTPUT_FAILS:
                raise
            _abandon_output()
            reason = error.strerror or str(error)
            _leave(
                f"Error: cannot write to the standard output: {reason}; send it elsewhere",
                _BAD_INPUT,
            )
        sys.exit(status or 0)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Understand the words; help is printed here."""
        with _reader_gone():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _reader_gone():
            return super().invoke(ctx)


@contextmanager
def _reader_gone() -> Iterator[None]:
    """Leave in silence where nobody reads any more; click would say 1, as of an error."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()
        raise click.exceptions.Exit(_NOBODY_READS) from None


def _abandon_output() -> None:
    """Send what is left to nowhere, so that the interpreter does not fail over it at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _leave(sentence: str, status: int) -> None:
    say(sentence)
    sys.exit(status)


@click.group(cls=_Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="dwell")
@click.pass_context
def main(context: click.Context) -> None:
    """How long should we test each idea before we ship it or drop it?

    dwell finds the stopping policy that earns the most per unit of testing.

    \b
    Examples:
      dwell demo
      dwell plan --setup-cost 5000 --max-days 14
      dwell evaluate log.parquet --setup-cost 1000 --out report.html
      dwell exact --prior "Beta(2, 3)" --caps 1:50
      dwell simulate --learner cape --tasks 1e4,1e6,1e8
      dwell reproduce --quick
      dwell bench learners --quick
      dwell history generate log.parquet
      dwell programme create checkout --caps 1:256:x2
      dwell serve --demo
      dwell token create --scope tell
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (
    demo,
    plan,
    evaluate,
    exact,
    simulate,
    reproduce,
    bench,
    history,
    programme,
    serve,
    token,
):
    main.add_command(_command)
