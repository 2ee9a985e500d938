"""Children end with all that they started, the outermost first."""

import asyncio
from pathlib import Path

from harness.management.children import Child, start, stop

# Starts a grandchild and tells of it; both say when they are asked to end, and end.
CODE = """
import os, signal, sys, time
name, file = sys.argv[1], sys.argv[2]
inner = os.fork()
who = name if inner else name + "'s own"
def end(*_):
    with open(file, "a") as out:
        out.write(f"{who} ended\\n")
    if inner:
        os.waitpid(inner, 0)
    os._exit(0)
signal.signal(signal.SIGTERM, end)
with open(file, "a") as out:
    out.write(f"{who} began\\n")
while True:
    time.sleep(60)
"""


async def test_what_a_child_has_started_ends_with_it(tmp_path: Path) -> None:
    told = tmp_path / "told"
    children = [Child(name, ("-c", CODE, name, str(told)), "127.0.0.1", 1) for name in ("lab", "web")]
    for child in children:
        await start(child, tmp_path)
    async with asyncio.timeout(20):
        while not told.exists() or told.read_text().count("began") < 4:  # noqa: ASYNC110  (a file tells)
            await asyncio.sleep(0.02)
        await stop(children)
    assert sorted(line for line in told.read_text().splitlines() if "ended" in line) == [
        "lab ended", "lab's own ended", "web ended", "web's own ended",
    ]  # fmt: skip
    assert [child.process.returncode for child in children if child.process] == [0, 0]
