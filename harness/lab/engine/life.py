"""One request's life in the meter: arrival, first token, gaps, end."""

from __future__ import annotations

from harness.lab.engine.meter import Meter


class Life:
    """Times in seconds on the loop's clock. A life ends once, for one reason."""

    def __init__(self, meter: Meter, now: float, prompt: int, n: int = 1, max_tokens: int | None = None) -> None:
        self.meter, self.arrived, self.prompt = meter, now, prompt
        self.scheduled: float | None = None
        self.first: float | None = None
        self.last = now
        self.tokens = self.preemptions = 0
        self.over = False
        meter.active += 1
        meter.counters["prompt_tokens_total"] += prompt
        meter.counters["prefix_cache_queries_total"] += prompt
        meter.observe("request_params_n", n)
        if max_tokens is not None:
            meter.observe("request_params_max_tokens", max_tokens)

    def schedule(self, now: float) -> None:
        if self.scheduled is None:
            self.scheduled = now

    def token(self, now: float, count: int = 1) -> None:
        if self.over or count < 1:
            return
        meter = self.meter
        meter.counters["generation_tokens_total"] += count
        self.tokens += count
        if self.first is None:
            self.first = now
            meter.observe("time_to_first_token_seconds", now - self.arrived)
        else:
            meter.observe("inter_token_latency_seconds", now - self.last)
        self.last = now

    def end(self, now: float, reason: str) -> None:
        """Reasons: stop, length, abort, error."""
        if self.over:
            return
        self.over = True
        meter = self.meter
        meter.active -= 1
        scheduled = self.arrived if self.scheduled is None else self.scheduled
        first = now if self.first is None else self.first
        meter.finished["stop" if reason == "tool_calls" else reason] += 1
        meter.observe("e2e_request_latency_seconds", now - self.arrived)
        meter.observe("request_queue_time_seconds", scheduled - self.arrived)
        meter.observe("request_prefill_time_seconds", max(0.0, first - scheduled))
        meter.observe("request_decode_time_seconds", max(0.0, self.last - first))
        meter.observe("request_inference_time_seconds", max(0.0, self.last - scheduled))
        meter.observe("request_prompt_tokens", self.prompt)
        meter.observe("request_generation_tokens", self.tokens)
        meter.observe("request_num_preemptions", self.preemptions)
        if self.tokens > 1:
            meter.observe("request_time_per_output_token_seconds", (self.last - first) / (self.tokens - 1))
