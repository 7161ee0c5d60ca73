"""The queue in plain Python: lists, scans and deep copies, to judge the kernels by."""

import copy
import math
from dataclasses import dataclass, field, replace
from typing import Any

STEPS = [60 * m for m in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000)]


@dataclass
class PlainJob:
    number: int
    submit: float
    need: int
    runtime: float
    believed: float
    draw: float = 0.0
    user: int = -1
    request: float = math.inf
    raised: int = 0
    start: float = -1.0
    end: float = 0.0
    cluster: int = -1
    put_off: bool = False
    planned: float = 0.0
    until: float = 0.0


@dataclass
class Options:
    rollout: str = "both"
    depth: int | None = None
    allow_wait: bool = True
    metric: str = "turnaround"
    candidates: int | None = None
    imagined: int = 0
    heads_only: bool = False
    tie: str = "fastest-first"


@dataclass
class PlainQueue:
    size: list[int]
    speed: list[float]
    order: str
    rule: str
    coming: list[PlainJob]
    options: Options = field(default_factory=Options)
    by_completion: bool = False
    predict: bool = False
    now: float = 0.0
    waiting: list[PlainJob] = field(default_factory=list)
    running: list[PlainJob] = field(default_factory=list)
    done: list[PlainJob] = field(default_factory=list)
    at: int = 0
    promise: tuple[int, float, int] | None = None
    held: int | None = None
    past: list[PlainJob] = field(default_factory=list)

    def run(self) -> list[PlainJob]:
        while self.event():
            pass
        return sorted(self.done, key=lambda job: job.number)

    def free(self, c: int) -> int:
        return self.size[c] - sum(j.need for j in self.running if j.cluster == c)

    def event(self) -> bool:
        times = [j.end for j in self.running] + [j.submit for j in self.coming]
        if self.order == "conservative":
            times += [j.planned for j in self.waiting]
        if not times:
            return False
        self.now = min(times)
        early = False
        for job in sorted(self.running, key=lambda j: (j.end, j.number)):
            if job.end <= self.now:
                early = early or job.until > self.now
                self.running.remove(job)
                self.done.append(job)
                for other in self.waiting:
                    other.put_off = False
        late = self.correct()
        if self.order == "conservative":
            self.replan(early, late)
        arrived = [j for j in self.coming if j.submit <= self.now]
        self.coming = [j for j in self.coming if j.submit > self.now]
        for job in arrived:
            self.past.append(job)
            mine = [j for j in self.done if j.user == job.user >= 0]
            if self.predict and mine:
                two = [j.runtime for j in mine[-2:]]
                job.believed = min(sum(two) / len(two), job.request)
        if self.order == "conservative":
            self.promise_all(arrived)
        else:
            self.waiting += arrived
            self.at, self.promise = 0, None
            self.schedule()
        return True

    def correct(self) -> bool:
        late = False
        for job in self.running:
            speed = self.speed[job.cluster]
            while self.predict and job.start + job.believed / speed <= self.now:
                job.believed += STEPS[min(job.raised, len(STEPS) - 1)]
                job.raised += 1
            if job.until <= self.now:
                late = True
                end = job.start + job.believed / speed
                job.until = end if end > self.now else self.now + 1.0
        return late

    def schedule(self, answer: Any = ...) -> None:
        while self.at < len(self.waiting):
            job = self.waiting[self.at]
            told = answer is not ... or self.rule == "look-ahead"
            if answer is ...:
                answer = self.choose(job)
            chosen, answer = answer, ...
            if self.at == 0 and (told or isinstance(chosen, int)):
                self.held = chosen[0] if isinstance(chosen, tuple) else None
            if isinstance(chosen, int):
                end = self.now + job.believed / self.speed[chosen]
                if self.promise and chosen == self.promise[0]:
                    c, shadow, extra = self.promise
                    if end > shadow:
                        self.promise = (c, shadow, extra - job.need)
                self.waiting.remove(job)
                self.start(job, chosen)
                continue
            if self.at == 0:
                if self.order == "fcfs":
                    return
                only = chosen[0] if isinstance(chosen, tuple) else None
                self.promise = self.reserve(job, self.by_completion, only)
            self.at += 1

    def start(self, job: PlainJob, c: int) -> None:
        job.start, job.cluster = self.now, c
        job.end = self.now + job.runtime / self.speed[c]
        job.until = self.now + job.believed / self.speed[c]
        self.running.append(job)

    def room(self, job: PlainJob) -> list[int]:
        rooms = []
        for c in range(len(self.size)):
            fits = self.free(c) >= job.need
            if fits and self.promise and c == self.promise[0]:
                end = self.now + job.believed / self.speed[c]
                fits = end <= self.promise[1] or job.need <= self.promise[2]
            if fits:
                rooms.append(c)
        return rooms

    def reserve(
        self, job: PlainJob, by_completion: bool, only: int | None
    ) -> tuple[int, float, int]:
        found = []
        for c in range(len(self.size)):
            if self.size[c] < job.need or only not in (None, c):
                continue
            ends = {}
            for other in self.running:
                if other.cluster == c:
                    end = other.start + other.believed / self.speed[c]
                    ends[other.number] = end if end > self.now else self.now + 1.0
            held = {j.number: j.need for j in self.running if j.cluster == c}
            for t in sorted({self.now, *ends.values()}):
                free = self.size[c] - sum(held[n] for n in ends if ends[n] > t)
                if free >= job.need:
                    value = t + job.believed / self.speed[c] if by_completion else t
                    found.append((value, -self.speed[c], c, t, free - job.need))
                    break
        _, _, c, t, extra = min(found)
        return c, t, extra

    def greedy(self, rule: str, job: PlainJob, rooms: list[int], left: Any) -> int:
        if rule == "random":
            return rooms[int(job.draw * len(rooms))]
        keys = {
            "best-fit": lambda c: (left(c), -self.speed[c], c),
            "worst-fit": lambda c: (-left(c), -self.speed[c], c),
            "fastest-first": lambda c: (-self.speed[c], left(c), c),
        }
        return min(rooms, key=keys[rule])

    def choose(self, job: PlainJob) -> Any:
        rooms = self.room(job)
        head = self.at == 0
        if head and self.held is not None and self.rule != "look-ahead":
            return self.held if self.free(self.held) >= job.need else (self.held,)
        if self.rule == "earliest-completion" and head:
            c, t, _ = self.reserve(job, True, None)
            return c if t <= self.now else (c,)
        if not rooms or job.put_off:
            return None
        if self.rule == "look-ahead":
            return self.look(job, rooms)
        rule = self.rule.replace("earliest-completion", "fastest-first")
        return self.greedy(rule, job, rooms, self.free)

    def look(self, job: PlainJob, rooms: list[int]) -> Any:
        o = self.options
        by_speed = sorted(rooms, key=lambda c: (-self.speed[c], self.free(c), c))
        by_fit = sorted(rooms, key=lambda c: (self.free(c), -self.speed[c], c))
        if o.heads_only and self.at > 0:
            return by_speed[0]
        if self.order == "easy" and not o.heads_only:
            inner = "easy"
            if o.depth is not None and self.at >= o.depth:
                return by_speed[0]
        else:
            inner = "fcfs"
        kept = by_speed[: o.candidates]
        order = by_speed if o.tie == "fastest-first" else by_fit
        best, choice = math.inf, None
        for c in [c for c in order if c in kept]:
            value = self.value(c, inner)
            if choice is None or value < best - 1e-12 * abs(best):
                best, choice = value, c
        if not o.allow_wait:
            return choice
        held = choice
        if self.at > 0:
            return choice if self.value(None, inner) >= best - 1e-12 * best else None
        for w in range(len(self.size)):
            faster = self.speed[w] > self.speed[held]
            if self.size[w] >= job.need > self.free(w) and faster:
                value = self.value((w,), inner)
                if value < best - 1e-12 * abs(best):
                    best, choice = value, (w,)
        return choice

    def value(self, answer: Any, inner: str) -> float:
        rules = {"both": ["fastest-first", "best-fit"]}
        names = rules.get(self.options.rollout, [self.options.rollout])
        return min(self.rolled_out(answer, inner, rule) for rule in names)

    def rolled_out(self, answer: Any, inner: str, rule: str) -> float:
        twin = copy.deepcopy(replace(self, past=[], done=[], coming=[]))
        twin.rule, twin.order, twin.predict = rule, inner, False
        for job in twin.running:
            speed = self.speed[job.cluster]
            end = job.start + job.believed / speed
            if end <= self.now:
                job.start, job.believed = self.now, speed
                end = self.now + 1.0
            job.end = end
        twin.waiting = twin.waiting[: self.options.depth]
        pseudo = self.imagined(len(self.waiting) - 1)
        for job in twin.waiting:
            job.runtime = job.believed
        counted = [*twin.waiting, *pseudo]
        if inner == "fcfs" and isinstance(answer, tuple):
            # Everybody waits until that cluster has room.
            head, c, twin.held = twin.waiting[0], answer[0], None
            while twin.free(c) < head.need:
                twin.now = min(j.end for j in twin.running)
                twin.running = [j for j in twin.running if j.end > twin.now]
            twin.waiting.remove(head)
            twin.start(head, c)
            twin.coming, pseudo = [], list(pseudo)
            twin.waiting += [j for j in pseudo if j.submit <= twin.now]
            twin.coming = [j for j in pseudo if j.submit > twin.now]
            twin.schedule()
        else:
            twin.coming = list(pseudo)
            # Put off means: not before something completes.
            for job in twin.waiting[1 : self.at + (answer is None)]:
                job.put_off = True
            twin.schedule(answer)
        twin.run()
        return cost(self.options.metric, counted)

    def imagined(self, behind: int) -> list[PlainJob]:
        over = {j.number for j in self.done}
        known = [j for j in self.past if j.number in over]
        count = min(self.options.imagined, behind)
        known = known[-count:] if count else []
        gaps = [j.submit for j in self.past[-len(known) :]] if known else []
        pseudo = []
        for at, job in enumerate(known):
            when = self.now + (gaps[at] - gaps[0]) + 1.0
            number = 10**9 + at
            pseudo.append(PlainJob(number, when, job.need, job.runtime, job.runtime))
        return pseudo

    # Conservative backfilling: promises are intervals, and slots are found by looking.

    def promises(self) -> list[PlainJob]:
        return [*self.running, *self.waiting]

    def used(self, c: int, t: float) -> int:
        def holds(j: PlainJob) -> bool:
            begin = j.planned if j.start < 0 else j.start
            return j.cluster == c and begin <= t < j.until

        return sum(j.need for j in self.promises() if holds(j))

    def slot(self, job: PlainJob, c: int, now: float) -> float:
        if self.size[c] < job.need:
            return math.inf
        length = job.believed / self.speed[c]
        mine = [j for j in self.promises() if j.cluster == c]
        steps = {now} | {j.until for j in mine} | {j.planned for j in mine}
        steps = {t for t in steps if t >= now}
        for t in sorted(steps):
            inside = [t] + [u for u in steps if t < u < t + length]
            if all(self.size[c] - self.used(c, u) >= job.need for u in inside):
                return t
        raise AssertionError("promises end some time")

    def place(self, job: PlainJob, rule: str, now: float) -> tuple[int, float]:
        slots = {c: self.slot(job, c, now) for c in range(len(self.size))}

        def key(c: int) -> float:
            if rule == "earliest-completion":
                return slots[c] + job.believed / self.speed[c]
            return slots[c]

        soonest = min(key(c) for c in slots)
        rooms = [c for c in slots if key(c) == soonest]
        if rule == "earliest-completion":
            c = min(rooms, key=lambda c: (-self.speed[c], c))
        else:
            c = self.greedy(
                rule, job, rooms, lambda c: self.size[c] - self.used(c, slots[c])
            )
        return c, slots[c]

    def hold(self, job: PlainJob, c: int, begin: float) -> None:
        job.cluster, job.planned = c, begin
        job.until = begin + job.believed / self.speed[c]
        self.waiting.append(job)

    def replan(self, early: bool, late: bool) -> None:
        if not early and not late:
            return
        queue = list(self.waiting)
        if late:
            self.waiting = []
        rule = self.rule.replace("look-ahead", "earliest-completion")
        for job in queue:
            if job in self.waiting:
                self.waiting.remove(job)
            before = (job.cluster, job.planned, job.until)
            c, begin = self.place(job, rule, self.now)
            self.hold(job, c, begin)
            better = begin < before[1]
            if rule == "earliest-completion":
                better = job.until < before[2]
            if not late and not better:
                job.cluster, job.planned, job.until = before
        self.waiting = queue

    def promise_all(self, arrived: list[PlainJob]) -> None:
        for at, job in enumerate(arrived):
            if self.rule == "look-ahead":
                behind = len(self.waiting) + len(arrived) - at - 1
                c, begin = self.look_for_slot(job, behind)
            else:
                c, begin = self.place(job, self.rule, self.now)
            self.hold(job, c, begin)
        for job in [j for j in self.waiting if j.planned <= self.now]:
            self.waiting.remove(job)
            assert self.free(job.cluster) >= job.need
            until = job.until
            self.start(job, job.cluster)
            job.until = until

    def look_for_slot(self, job: PlainJob, behind: int) -> tuple[int, float]:
        o = self.options
        rooms = [c for c in range(len(self.size)) if self.size[c] >= job.need]
        rooms = sorted(rooms, key=lambda c: (-self.speed[c], c))[: o.candidates]
        best, choice = math.inf, None
        rules = {"both": ["fastest-first", "best-fit"]}
        for c in rooms:
            value = math.inf
            for rule in rules.get(o.rollout, [o.rollout]):
                twin = copy.deepcopy(self)
                pseudo = self.imagined(behind)
                mine = copy.deepcopy(job)
                twin.hold(mine, c, twin.slot(mine, c, self.now))
                for other in pseudo:
                    twin.hold(other, *twin.place(other, rule, other.submit))
                every = [mine, *pseudo]
                for one in every:
                    one.start, one.end = one.planned, one.until
                value = min(value, cost(o.metric, every))
            if choice is None or value < best - 1e-12 * abs(best):
                best, choice = value, c
        return choice, self.slot(job, choice, self.now)


def cost(metric: str, jobs: list[PlainJob]) -> float:
    if metric == "makespan":
        return max(j.end for j in jobs)
    total = 0.0
    for j in jobs:
        turnaround = j.end - j.submit
        total += {
            "turnaround": turnaround,
            "wait": j.start - j.submit,
            "bounded-slowdown": max(1.0, turnaround / max(j.believed, 10.0)),
            "weighted": j.need * j.believed * turnaround,
        }[metric]
    return total
