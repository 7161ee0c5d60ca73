"""Workers of a Dask cluster behind the interface of `concurrent.futures`."""

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from importlib.metadata import version
from tempfile import TemporaryDirectory
from typing import Any

from dask import config
from distributed import Client, KilledWorker, LocalCluster
from distributed.cfexecutor import ClientExecutor
from distributed.comm import CommClosedError

from cotenant.errors import CotenantError, InvalidInput

ANSWER_S = 5  # within which a scheduler answers
WORKERS_S = 10  # within which it has a worker
_SETTINGS = {
    "distributed.comm.timeouts.connect": f"{ANSWER_S}s",
    "distributed.worker.profile.enabled": False,
    # What is sent once may be large.
    "distributed.admin.large-graph-warning-threshold": "4GiB",
}


class _Cluster(ClientExecutor):  # type: ignore[misc]
    """Dask's own executor, able to hold a value where its workers are."""

    far = True

    def send(self, value: object) -> object:
        # A result is computed again when the worker that has it is lost; data that was
        # scattered would be gone.
        return self._client.submit(_same, value, pure=False)


def _same(value: object) -> object:
    return value


@contextmanager
def connect(address: str) -> Iterator[Executor]:
    """Open the workers of a scheduler that runs already.

    Raises
    ------
    InvalidInput
        If it does not answer, has no worker, or workers run another version.
    CotenantError
        If it is lost on the way.
    """
    with _quiet(), config.set(_SETTINGS):
        try:
            client = Client(address, timeout=ANSWER_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"no Dask scheduler answers at {address} within {ANSWER_S} s; start "
                "one with `dask scheduler`, and give the address it prints"
            ) from error
        with client:
            _check(client, address)
            yield from _opened(client)


@contextmanager
def start(number: int) -> Iterator[Executor]:
    """Open a cluster of so many workers on this machine, until the block ends."""
    with _quiet(), config.set(_SETTINGS), TemporaryDirectory() as folder:
        cluster = LocalCluster(
            n_workers=number,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield from _opened(client)


def _opened(client: Any) -> Iterator[Executor]:
    try:
        yield _Cluster(client, pure=False)
    except KilledWorker as error:
        raise CotenantError(
            "the same work was lost with four workers one after the other, often for "
            "lack of memory; give workers more"
        ) from error
    except (CommClosedError, CancelledError) as error:
        raise CotenantError(
            "the Dask scheduler was lost on the way; what --keep has kept is not run "
            "again"
        ) from error


def _check(client: Any, address: str) -> None:
    """See that there is a worker, and that all compute as this process would."""
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError as error:
        raise InvalidInput(
            f"the Dask scheduler at {address} has no worker after {WORKERS_S} s; start "
            f"some with `dask worker {address} --nthreads 1`"
        ) from error
    try:
        found = client.run(_version)
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"a worker of {address} does not have {error.name}; "
            f"pip install 'cotenant[cluster]=={_version()}' there"
        ) from error
    for worker, theirs in found.items():
        if theirs != _version():
            raise InvalidInput(
                f"worker {worker} runs cotenant {theirs}; expected {_version()}"
            )


def _version() -> str:
    return version("cotenant")


@contextmanager
def _quiet() -> Iterator[None]:
    # Lost workers are mended; the rest is told as one sentence of ours.
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
