"""The command line: parse, call one function, print; no logic."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import typer
from typer.exceptions import TyperException

from cotenant import __version__
from cotenant.errors import CotenantError, InvalidInput, TraceError, UnknownTask

INTERNAL, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 5, 130

# The module and the name of each command, so that only the one asked for is imported.
_HOMES = {
    "demo": "demo.demo",
    "plan": "plan.plan",
    "compare": "plan.compare",
    "explain": "after.explain",
    "replay": "after.replay",
    "profile": "profile.profile",
    "backtest": "backtest.backtest",
    "import": "traces.import_",
    "churn": "churn.churn",
    "queue": "queue.queue",
    "serve": "serve.serve",
    "study": "study.study",
    "sla": "sla.sla_app",
}
# Objects made before the collector looks at them all again; Python's 700 lets it spend
# a tenth of a short command on searching modules, which are never garbage.
_YOUNG = 100_000


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"cotenant {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """How many machines do these workloads need, which goes where, what to expect?

    --debug anywhere shows the traceback of an error.
    """


def app(words: Sequence[str] = ()) -> typer.Typer:
    """Make the command line: of the command that `words` begin with, else of all."""
    made = typer.Typer(
        name="cotenant",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_root,
    )
    for name in [word for word in words[:1] if word in _HOMES] or _HOMES:
        module, attribute = _HOMES[name].split(".")
        found = getattr(import_module(f"cotenant.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            made.add_typer(found, name=name)
        else:
            made.command(name)(found)
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the code of the interface contract."""
    gc.set_threshold(_YOUNG)
    # No command multiplies matrices: NumPy need not start a thread per core for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    code = run([word for word in words if word != "--debug"], debug)
    # The process gives all its memory back at once: do not search it for garbage first.
    gc.freeze()
    sys.exit(code)


def run(words: Sequence[str], debug: bool = False) -> int:
    """Run one command and return its exit code; errors go to stderr as one sentence."""
    try:
        code = typer.main.get_command(app(words)).main(
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
