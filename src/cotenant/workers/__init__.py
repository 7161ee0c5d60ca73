"""Where parallel work runs: in this process, beside it, or on a Dask cluster.

The room answers: who computes this? Its protocol is `concurrent.futures.Executor`,
which `open_workers` opens; callers submit importable functions and get the same results
whoever computes them. It knows errors only. A new kind of worker is a new branch of
`open_workers`.
"""

from cotenant.workers.opening import (
    Where,
    completed,
    mapped,
    on_other_machines,
    open_workers,
    send,
)

__all__ = ["Where", "completed", "mapped", "on_other_machines", "open_workers", "send"]
