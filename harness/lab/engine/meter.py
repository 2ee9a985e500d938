"""vLLM's metrics under their real names and buckets, moved by what the lab's requests live through.

Names and buckets as vLLM 0.33 has them (WIRE: prefix ``vllm:``, labels ``model_name`` and ``engine``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from harness.lab.engine.prometheus import Histogram, Labels, braces, header, number

LATENCY = (0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680)
TTFT = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
)  # fmt: skip
ITL = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80)
ITERATION = (1, *(2**k for k in range(3, 15)))
TOKENS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000)
FEW = (1, 2, 5, 10, 20)
PREEMPTIONS = (1, 2, 3, 4, 5, 10, 20)
REASONS = ("stop", "length", "abort", "error", "repetition")

HISTOGRAMS = {
    "time_to_first_token_seconds": (TTFT, "Time to first token in seconds."),
    "inter_token_latency_seconds": (ITL, "Inter-token latency in seconds."),
    "request_time_per_output_token_seconds": (ITL, "Mean time per output token of a request in seconds."),
    "e2e_request_latency_seconds": (LATENCY, "End to end request latency in seconds."),
    "request_queue_time_seconds": (LATENCY, "Time a request spent waiting in seconds."),
    "request_prefill_time_seconds": (LATENCY, "Time a request spent in prefill in seconds."),
    "request_decode_time_seconds": (LATENCY, "Time a request spent in decode in seconds."),
    "request_inference_time_seconds": (LATENCY, "Time a request spent running in seconds."),
    "request_prompt_tokens": (TOKENS, "Prompt tokens of a request."),
    "request_generation_tokens": (TOKENS, "Generated tokens of a request."),
    "request_params_n": (FEW, "The n of a request."),
    "request_params_max_tokens": (TOKENS, "The max_tokens of a request."),
    "request_num_preemptions": (PREEMPTIONS, "Preemptions of a request."),
    "iteration_tokens_total": (ITERATION, "Tokens of one engine step."),
}
COUNTERS = {
    "num_preemptions_total": "Preemptions by the scheduler.",
    "prompt_tokens_total": "Prompt tokens processed.",
    "generation_tokens_total": "Tokens generated.",
    "prefix_cache_queries_total": "Prompt tokens looked up in the prefix cache.",
    "prefix_cache_hits_total": "Prompt tokens found in the prefix cache.",
    "spec_decode_num_drafts_total": "Drafts of speculative decoding.",
    "spec_decode_num_draft_tokens_total": "Draft tokens of speculative decoding.",
    "spec_decode_num_accepted_tokens_total": "Draft tokens accepted.",
}
GAUGES = {
    "num_requests_running": "Requests in the running batch.",
    "num_requests_waiting": "Requests that wait.",
    "kv_cache_usage_perc": "Share of the KV cache in use, 0 to 1.",
}


@dataclass(slots=True)
class Meter:
    """The metrics of one model. ``gauges`` are read when the page is written; without them ``active`` is running."""

    model: str
    gauges: Callable[[], dict[str, float]] | None = None
    active: int = 0
    counters: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    histograms: dict[str, Histogram] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.histograms = {name: Histogram(buckets) for name, (buckets, _) in HISTOGRAMS.items()}

    def observe(self, name: str, value: float) -> None:
        self.histograms[name].observe(value)

    def gauge(self, name: str) -> float:
        rows = self.gauges() if self.gauges else {"num_requests_running": self.active}
        return rows.get(name, 0.0)

    @property
    def labels(self) -> Labels:
        return (("engine", "0"), ("model_name", self.model))


def text(meters: list[Meter]) -> str:
    """The page ``/metrics``: every family once, a row a model."""
    lines: list[str] = []
    for name, about in GAUGES.items():
        lines += header(f"vllm:{name}", "gauge", about)
        lines += [f"vllm:{name}{braces(m.labels)} {number(m.gauge(name))}" for m in meters]
    for name, about in COUNTERS.items():
        lines += header(f"vllm:{name}", "counter", about)
        lines += [f"vllm:{name}{braces(m.labels)} {number(m.counters[name])}" for m in meters]
    lines += header("vllm:request_success_total", "counter", "Finished requests by reason.")
    for m in meters:
        for reason in REASONS:
            labels = braces((*m.labels, ("finished_reason", reason)))
            lines.append(f"vllm:request_success_total{labels} {number(m.finished[reason])}")
    for name, (_, about) in HISTOGRAMS.items():
        lines += header(f"vllm:{name}", "histogram", about)
        for m in meters:
            lines += m.histograms[name].lines(f"vllm:{name}", m.labels)
    return "\n".join(lines) + "\n"
