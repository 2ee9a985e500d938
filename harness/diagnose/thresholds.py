"""The one table of limits that the rules decide by, each with its reason. Tuned once over all cases, then frozen."""

from __future__ import annotations


class Limit(float):
    """A number that knows its unit and why it has this value."""

    unit: str
    why: str

    def __new__(cls, value: float, unit: str, why: str) -> Limit:
        limit = super().__new__(cls, value)
        limit.unit, limit.why = unit, why
        return limit


STALL_MS = Limit(2000, "ms", "two seconds without text is when a reader looks up; engines' own hiccups stay below")
STALL_MEDIANS = Limit(30, "× median gap", "a slow but steady stream is no stall; thirty usual gaps are")
TAIL_MS = Limit(
    2000, "ms", "the body may close a little after the terminator; later, a reader that waits for EOF hangs"
)

FIRST_BYTE_MS = Limit(10_000, "ms", "the patience of a person, and of the shortest common client timers")
FIRST_BYTE_PAIR_MS = Limit(500, "ms", "a delay that a person notices")
FIRST_BYTE_PAIR_RATIO = Limit(1.5, "× inner", "a hop that adds half of the inner wait is a cause of its own")
FIRST_BYTE_ADDED_MS = Limit(250, "ms", "two exchanges of one prompt differ by less than this")

BURST_JOIN_MS = Limit(5, "ms", "reads this close carry one flush of the sender")
BURST_SILENCE_MS = Limit(300, "ms", "silence before a flush that an engine's first token alone would not explain")
BURST_EVENTS = Limit(5, "events", "fewer content events than this cannot show a clump")
BURST_SHARE = Limit(0.5, "of events", "half of the answer in one flush is not streamed")
HOLD_MS = Limit(100, "ms", "pieces held this long are seen to clump (two of our 50 ms batches)")
HOLD_END_MS = Limit(200, "ms", "an answer spread over less than this is no stream worth holding apart")
HOLD_ONCE_MS = Limit(2000, "ms", "one pause of the path (radio, collector) is jitter below what counts as a stall")
HOLD_PAIRS_MS = Limit(250, "ms", "two pieces made one, less than this late, still read as typing")
HOLD_HALF_MS = Limit(1000, "ms", "half of the answer held for a second in one piece is no jitter")
HOLD_NEAR = Limit(0.6, "of the hold", "fillings of one buffer differ in length: the shorter ones are its work too")
HOLD_PROOF = Limit(0.2, "of pieces", "some of the fillings must be held long enough to be seen by themselves")
HOLD_SHARE = Limit(0.5, "of pieces", "clumps that hold half of the pieces are the rule, not the exception")
UNTIL_END_SHARE = Limit(0.8, "of pieces", "nearly all pieces in the last flush: buffered until the end")
LAG_SHARE = Limit(0.8, "of pieces", "pieces that come exactly when the next was sent")
LAG_CLEAR = Limit(0.2, "of pieces", "an even stream is as steady against its next piece as against its own")
LAG_JITTER_MS = Limit(4, "ms", "less jitter than this is the stamps' own")
LAG_TIED = Limit(0.2, "of the jitter", "pieces that follow the next one's sending follow its jitter too")
SLOPE_SHARE = Limit(0.2, "of the time", "a clock that drifts, or a busy link, grows less; one pause makes a step")
LAG_MS = Limit(25, "ms", "jitter within which two arrivals count as the same instant")

CANCEL_MS = Limit(500, "ms", "a relay may notice the close at its next write; past this the chain is broken")
CANCEL_LATE_MS = Limit(2000, "ms", "a close that is passed on this late has cost the engine")
CANCEL_GAPS = Limit(3, "× median gap", "…and at a slow stream after a few events")

COUNT_WORDS = Limit(5, "words", "fewer numbered words prove no order")
COUNT_SHARE = Limit(
    0.8, "of words", "an answer that is nearly all numbers in sequence counts; prose with years does not"
)
COUNT_STEPS = Limit(0.6, "of steps", "most steps go up by one in a stream that counts, even a damaged one")
COUNT_ALONE = Limit(
    1, "numbers", "models skip a number by themselves now and then: one, unasked and unnumbered, proves no loss"
)
USAGE_ROWS = Limit(6, "pieces", "fewer pieces with a token count show no habit of counting")
USAGE_HABIT = Limit(
    0.9,
    "of steps",
    "speculative decoding and busy collectors vary the tokens a piece; only a steady sender shows a leap",
)
REPLAY_EVENTS = Limit(20, "pieces", "a short answer may well be whole in one read")
REPLAY_MS = Limit(100, "ms", "a prompt is read, twenty tokens are made and sent: no engine does it in this time")
REPLAY_RATIO = Limit(0.2, "of the first time", "the same prompt is not answered five times as fast by a warm engine")
RETRIES = Limit(3, "seams", "gateways retry a few times; a role or an id in every chunk is the sender's habit")
RESTART_CHARS = Limit(16, "characters", "shorter openings are said twice in one answer (a list, a refrain)")

ODDS_SHARE = Limit(0.8, "of pieces", "tokens that name their neighbour nearly always; a doubled word does so by chance")
HEAL_PIECES = Limit(3, "pieces", "a hop that closes a broken answer by a remark says it in fewer")

SAME_TEXT = Limit(0.6, "of inner text", "below this two answers are two samples, above it one answer that was damaged")
MIN_JUDGED = Limit(3, "events", "fewer events carry no certain verdict on delay or order")

TIMER_SLACK_MS = Limit(
    60, "ms", "timers are armed at the hop and read here: one network trip and a scheduler tick apart"
)
TIMER_SLACK = Limit(0.01, "of the timer", "timer wheels and checkers round up")
FLOWING_GAPS = Limit(4, "× median gap", "silence before a cut that the stream's own rhythm explains")


def table() -> list[tuple[str, float, str, str]]:
    """Every limit as (name, value, unit, why), for tests and documentation."""
    return [
        (name, float(value), value.unit, value.why) for name, value in globals().items() if isinstance(value, Limit)
    ]
