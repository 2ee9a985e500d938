"""Steps: what a page shows of each hop while a job climbs."""

from harness.capture.model import Capture, End, Head, stamped
from harness.runs.steps import Step, latest, step_of

BODY, TIMES, ENDS = stamped(
    (t, b'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n') for t in (10.0, 30.0, 90.0)
)


def test_a_hop_that_answered_tells_its_figures() -> None:
    capture = Capture("g", head=Head(5.0, 200), body=BODY, times=TIMES, ends=ENDS, end=End(95.0, "reset", "by peer"))
    assert step_of("g", 1, capture) == Step(
        "g", "ended", 1, 200, "reset", "reset", "by peer", ttfb_ms=10.0, ttft_ms=10.0, itl_p50_ms=40.0,
        itl_max_ms=60.0, end_ms=95.0,
    )  # fmt: skip


def test_a_hop_that_is_being_asked_and_one_out_of_reach_say_so() -> None:
    assert step_of("g", None, None).state == "probing"
    step = step_of("g", None, Capture("g", end=End(1.0, "reset", "refused")))
    assert (step.state, step.detail, step.ttfb_ms) == ("unreachable", "refused", None)


def test_the_last_step_of_each_hop_counts_and_the_others_wait() -> None:
    rows = [Step("a", "probing").as_json(), Step("a", "ended", outcome="done").as_json() | {"later": "unknown"}]
    assert [(step.hop, step.state) for step in latest(["a", "b"], rows)] == [("a", "ended"), ("b", "waiting")]


def test_a_hop_that_is_asked_again_keeps_its_figures_until_it_has_answered() -> None:
    rows = [Step("a", "ended", 0, ttft_ms=5.0).as_json(), Step("a", "probing", 1).as_json()]
    assert latest(["a"], rows) == [Step("a", "probing", 1, ttft_ms=5.0)]
    assert latest(["a"], rows, running=False) == [Step("a", "ended", 0, ttft_ms=5.0)]
    assert latest(["a"], rows[1:], running=False) == [Step("a")]


def test_of_an_ended_job_the_round_that_is_shown_counts() -> None:
    rows = [Step("a", "ended", number, ttft_ms=float(number)).as_json() for number in range(3)]
    assert [step.ttft_ms for step in latest(["a"], rows, running=False, number=1)] == [1.0]
    assert [step.ttft_ms for step in latest(["a"], rows, running=False, number=7)] == [2.0]
