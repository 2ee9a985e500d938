"""The engine model: continuous batching over a KV cache of blocks, step by step, with no clock of its own.

Scheduling follows the shape of vLLM's: running sequences first, each a decode or the next part of its prefill;
when blocks run out the last (or least urgent) running sequence is preempted and later computed anew; then waiting
sequences are admitted while seats, token budget and blocks last.
"""

from __future__ import annotations

import random
from collections.abc import Sequence as Rows
from dataclasses import dataclass, field

from harness.lab.engine.profile import Profile


@dataclass(slots=True)
class Sequence:
    """One request in the engine. Times in ms; ``computed``: tokens whose KV is in the cache."""

    id: int
    prompt: int
    output: int
    priority: int = 0
    arrived: float = 0.0
    computed: int = 0
    generated: int = 0
    admitted: float | None = None
    preemptions: int = 0
    state: str = "waiting"  # waiting, running, finished, aborted

    @property
    def context(self) -> int:
        return self.prompt + self.generated

    @property
    def prefilling(self) -> bool:
        return self.computed < self.context - (1 if self.generated else 0)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: how long it takes and what it makes. ``tokens``: (sequence, new tokens) at its end."""

    duration: float
    tokens: tuple[tuple[Sequence, int], ...]
    prefill: int
    decodes: int


@dataclass(slots=True)
class Engine:
    """``step`` plans and books a step; the caller lets ``duration`` pass and then calls ``commit``."""

    profile: Profile
    seed: str = "0"
    waiting: list[Sequence] = field(default_factory=list)
    running: list[Sequence] = field(default_factory=list)
    preemptions: int = 0
    blocks: dict[int, int] = field(default_factory=dict)
    _rng: random.Random = field(default_factory=random.Random)
    _last: int = 0

    def __post_init__(self) -> None:
        self._rng = random.Random(f"engine:{self.seed}")

    def submit(self, now: float, prompt: int, output: int, priority: int = 0) -> Sequence:
        self._last += 1
        sequence = Sequence(self._last, max(1, prompt), max(1, output), priority, now)
        self.waiting.append(sequence)
        return sequence

    def abort(self, sequence: Sequence) -> None:
        """Free its seat and blocks at once."""
        if sequence.state in ("waiting", "running"):
            sequence.state = "aborted"
            self._release(sequence)

    @property
    def kv_usage(self) -> float:
        return sum(self.blocks.values()) / max(1, self.profile.kv_blocks)

    def step(self, now: float) -> Step | None:
        """Schedule one step; None when there is nothing to do."""
        budget = self.profile.max_num_batched_tokens
        work: list[tuple[Sequence, int, int]] = []  # sequence, tokens computed, tokens made
        preempted = False
        blocked = not self.profile.chunked_prefill and self._can_admit(budget)
        for sequence in () if blocked else list(self.running):
            if sequence.state != "running" or budget <= 0:
                continue
            todo, made = self._todo(sequence, budget)
            while not self._reserve(sequence, sequence.computed + todo):
                preempted = True
                if self._preempt(work) is sequence:
                    break
            else:
                work.append((sequence, todo, made))
                budget -= todo
        if not preempted:
            self._admit(now, budget, work)
        return self._step(work) if work else None

    def commit(self, step: Step, now: float) -> list[tuple[Sequence, int]]:
        """Book the step's tokens; gives (sequence, new tokens) of those that are still there."""
        made = []
        for sequence, new in step.tokens:
            if sequence.state != "running":
                continue
            new = min(new, sequence.output - sequence.generated)
            sequence.generated += new
            if new:
                made.append((sequence, new))
            if sequence.generated >= sequence.output:
                sequence.state = "finished"
                self._release(sequence)
        return made

    def _todo(self, sequence: Sequence, budget: int) -> tuple[int, int]:
        """(tokens to compute, tokens made) in this step."""
        if sequence.prefilling:
            left = sequence.context - sequence.computed
            todo = min(left, budget) if self.profile.chunked_prefill else left
            return todo, 1 if todo == left else 0
        accepted = 1
        while accepted <= self.profile.speculative and self._rng.random() < self.profile.acceptance:
            accepted += 1
        return accepted, accepted

    def _admit(self, now: float, budget: int, work: list[tuple[Sequence, int, int]]) -> None:
        if self.profile.policy == "priority":
            self.waiting.sort(key=lambda s: (s.priority, s.arrived))
        while self.waiting and len(self.running) < self.profile.max_num_seqs and budget > 0:
            sequence = self.waiting[0]
            todo, made = self._todo(sequence, budget)
            if not self._reserve(sequence, sequence.context):
                if not self.running:  # it can never fit: computed with what there is
                    self.blocks[sequence.id] = self.profile.kv_blocks
                else:
                    return
            self.waiting.pop(0)
            sequence.state = "running"
            sequence.admitted = now if sequence.admitted is None else sequence.admitted
            self.running.append(sequence)
            work.append((sequence, todo, made))
            budget -= todo

    def _can_admit(self, budget: int) -> bool:
        return bool(self.waiting) and len(self.running) < self.profile.max_num_seqs and budget > 0

    def _step(self, work: Rows[tuple[Sequence, int, int]]) -> Step:
        prefill = decodes = 0
        for sequence, todo, _ in work:
            if sequence.prefilling:
                prefill += todo
            else:
                decodes += 1
            sequence.computed += todo
        p = self.profile
        duration = p.step_ms + p.step_per_seq_ms * decodes + p.prefill_ms_per_1k * prefill / 1000
        return Step(duration, tuple((s, made) for s, _, made in work), prefill, decodes)

    def _reserve(self, sequence: Sequence, tokens: int) -> bool:
        """Have blocks for that many tokens; False when too few are free."""
        needed = -(-tokens // self.profile.block_size)
        held = self.blocks.get(sequence.id, 0)
        free = self.profile.kv_blocks - sum(self.blocks.values())
        if needed - held > free:
            return len(self.running) == 1 and sequence in self.running
        self.blocks[sequence.id] = max(held, needed)
        return True

    def _preempt(self, work: list[tuple[Sequence, int, int]]) -> Sequence:
        """Put the least urgent running sequence back to the front of the queue, its cache lost."""
        key = (lambda s: (s.priority, s.arrived, s.id)) if self.profile.policy == "priority" else (lambda s: s.id)
        victim = max((s for s in self.running if s.state == "running"), key=key)
        self.running.remove(victim)
        self.blocks.pop(victim.id, None)
        work[:] = [row for row in work if row[0] is not victim]
        victim.state, victim.computed = "waiting", 0
        victim.preemptions += 1
        self.preemptions += 1
        self.waiting.insert(0, victim)
        return victim

    def _release(self, sequence: Sequence) -> None:
        self.blocks.pop(sequence.id, None)
        for queue in (self.running, self.waiting):
            if sequence in queue:
                queue.remove(sequence)


def released(generated: int, interval: int, finished: bool) -> int:
    """How many tokens are shown: the first at once, then ``interval`` at a time, and all at the end."""
    if finished or interval <= 1 or generated < 1:
        return generated
    return 1 + (generated - 1) // interval * interval
