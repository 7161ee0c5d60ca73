"""The command line: parse, call one function, print; no logic."""

import os
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from cotenant import __version__
from cotenant.cli.after import explain, replay
from cotenant.cli.backtest import backtest
from cotenant.cli.churn import churn
from cotenant.cli.demo import demo
from cotenant.cli.plan import compare, plan
from cotenant.cli.profile import profile
from cotenant.cli.queue import queue
from cotenant.cli.serve import serve
from cotenant.cli.sla import sla_app
from cotenant.cli.study import study
from cotenant.cli.study_morphosys import morphosys
from cotenant.cli.traces import import_
from cotenant.errors import CotenantError, InvalidInput, TraceError, UnknownTask

INTERNAL, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 5, 130

app = typer.Typer(
    name="cotenant",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"cotenant {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """How many machines do these workloads need, which goes where, what to expect?

    --debug anywhere shows the traceback of an error.
    """


app.command("demo")(demo)
app.command("plan")(plan)
app.command("compare")(compare)
app.command("explain")(explain)
app.command("replay")(replay)
app.command("profile")(profile)
app.command("backtest")(backtest)
app.command("import")(import_)
app.command("churn")(churn)
app.command("queue")(queue)
app.command("serve")(serve)
app.add_typer(study, name="study")
study.command("morphosys")(morphosys)
app.add_typer(sla_app, name="sla")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the code of the interface contract."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    sys.exit(run([word for word in words if word != "--debug"], debug))


def run(words: Sequence[str], debug: bool = False) -> int:
    """Run one command and return its exit code; errors go to stderr as one sentence."""
    try:
        code = typer.main.get_command(app).main(
            list(words) or ["--help"], prog_name="cotenant", standalone_mode=False
        )
        return code if isinstance(code, int) else 0
    except TyperException as error:
        return _fail(f"{error.format_message().rstrip('.')}; see --help", USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of a pipe has seen enough; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if debug:
            raise
        what = error.filename or "a file"
        return _fail(f"cannot read or write {what}: {error.strerror}", USAGE)
    except CotenantError as error:
        if debug:
            raise
        return _fail(str(error), _code(error))
    except Exception as error:
        if debug:
            raise
        kind = type(error).__name__
        return _fail(f"internal error ({kind}: {error}); --debug shows where", INTERNAL)


def _code(error: CotenantError) -> int:
    if isinstance(error, TraceError):
        return BAD_DATA
    known = isinstance(error, InvalidInput | UnknownTask)
    return USAGE if known else INTERNAL


def _fail(sentence: str, code: int) -> int:
    print(f"cotenant: {sentence}", file=sys.stderr)
    return code
