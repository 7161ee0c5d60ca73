"""Exact overload of a packing against Monte Carlo of equal accuracy."""

from benchmarks.timing import best, ratio
from cotenant.colocate.pack import Policy, pack
from cotenant.fleet import Fleet
from cotenant.planning.problem import Selection, make_problem
from cotenant.sim.judge import Carried, judge_exact, judge_samples
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

RHO = 0.001


def main() -> None:
    frame = matched(1_000, seed=1)
    tasks = make_problem(from_frame(frame, "fraction"), Selection()).tasks
    packing = pack(tasks, Fleet.of_equal({"cpu": 1.0}), Policy("exact", rho=RHO))
    machines = [Carried(1.0, [t.usage["cpu"] for t in on]) for on in packing.tasks]
    truth = judge_exact(machines, cells=8_000).overload.mean()
    for cells in (200, 500, 1_000, 2_000):
        found = judge_exact(machines, cells).overload.mean()
        error = abs(found / truth - 1.0)
        exact = best(lambda: judge_exact(machines, cells))  # noqa: B023
        # Overloads are rare events: their relative noise is 1 / sqrt(their number).
        needed = int(1.0 / max(error, 1e-4) ** 2 / (truth * len(machines))) + 1
        drawn = min(needed, 200_000)
        sampled = best(lambda: judge_samples(machines, 1, drawn), 1)  # noqa: B023
        what = f"judge 1,000 tasks to {error:.2%}, {cells:,} cells"
        against = f"{needed:,} draws"
        ratio(what, exact, sampled * needed / drawn, against)


if __name__ == "__main__":
    main()
