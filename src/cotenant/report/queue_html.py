"""Pages of a comparison of allocators, and of its runs as Gantt charts."""

from typing import Any

import numpy as np

from cotenant.planning.queue.results import QueueComparison
from cotenant.queueing.metrics import bounded_slowdown
from cotenant.report.queue_charts import queue_figures, turnaround_figure
from cotenant.report.queue_words import HEAD, answer, cells, label
from cotenant.report.shell import page
from cotenant.report.words import counted, visible
from cotenant.sim.jobs import QueueRun
from cotenant.sim.timelines import lanes

# Bounds of the classes of bounded slowdown that the Gantt chart tells apart.
SLOW = (1.5, 10.0, 100.0)


def queue_page(result: QueueComparison) -> str:
    """Return the comparison: the answer first, then pictures and numbers."""
    head, sentence = answer(result)
    titles = [
        " ".join(filter(None, pair)).replace("- ", "")
        for pair in zip(*HEAD, strict=True)
    ]
    return page(
        "queue.html",
        title=f"Queue: {head}",
        charts=[turnaround_figure(result), *queue_figures(result)],
        table=None,
        answer=head,
        sentence=sentence,
        kept=True,
        titles=titles,
        rows=[cells(row, result) for row in result.rows],
        details=[_detail(result, at) for at in range(len(result.rows))],
        result=result,
    )


def _detail(result: QueueComparison, at: int) -> dict[str, Any]:
    row = result.rows[at]
    return {
        "name": label(row, result),
        "clusters": row.detail.clusters,
        "sizes": row.detail.sizes,
        "percentiles": row.detail.percentiles,
    }


def gantt_page(result: QueueComparison) -> str:
    """Return the first run of every row, each cluster a field of processors."""
    jobs = counted(result.rows[0].jobs, "job")
    clusters = counted(len(result.runs[0].clusters), "cluster")
    return page(
        "gantt.html",
        title="Gantt chart",
        charts=[],
        table=None,
        scripts=("gantt.js",),
        data={
            "runs": [
                {"name": label(row, result), **_packed(run)}
                for row, run in zip(result.rows, result.runs, strict=True)
            ]
        },
        answer=f"{jobs} on {clusters}",
        sentence="Each block is a job on its processors, from start to finish",
        kept=True,
        names=[label(row, result) for row in result.rows],
        bounds=SLOW,
        result=result,
    )


def _packed(run: QueueRun) -> dict[str, Any]:
    # Columns of numbers: small, and read by the page in one go.
    pieces, jobs = lanes(run), run.jobs
    slow = np.digitize(bounded_slowdown(jobs, run.finish_s - jobs.submit_s), SLOW)
    return {
        "clusters": [
            {"name": visible(name), "size": int(size), "speed": float(speed)}
            for name, size, speed in zip(
                run.clusters.names, run.clusters.size, run.clusters.speed, strict=True
            )
        ],
        "id": jobs.id.tolist(),
        "submit": np.round(jobs.submit_s, 1).tolist(),
        "start": np.round(run.start_s, 1).tolist(),
        "finish": np.round(run.finish_s, 1).tolist(),
        "processors": jobs.processors.tolist(),
        "cluster": run.cluster.tolist(),
        "slow": slow.tolist(),
        "job": pieces[:, 0].tolist(),
        "low": pieces[:, 1].tolist(),
        "high": pieces[:, 2].tolist(),
    }
