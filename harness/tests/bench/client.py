"""The bench's client: N raw streams at once; prints the events' delays in microseconds as JSON.

``python client.py PORT PATH BODY STREAMS RATE``: the streams start spread over one period. ``steady`` are the delays
while all of them run: opening or ending twenty within one period is work of its own, which ``edges`` holds apart.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import time

STAMP = re.compile(rb'"t":(\d+)')


def main(port: int, path: str, body: str, streams: int, rate: float) -> None:
    selector = selectors.DefaultSelector()
    data = body.encode()
    request = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    wish = request.encode() + b"content-length: %d\r\n\r\n" % len(data) + data
    seen: list[tuple[int, float]] = []
    waited_for, begun_ns, ended_ns = set[int](), 0, 0
    tails: dict[int, bytes] = {}
    for _ in range(streams):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.sendall(wish)
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ)
        tails[sock.fileno()] = b""
        waited_for.add(sock.fileno())
        time.sleep(1 / rate / streams)
    while tails:
        for key, _ in selector.select():
            sock = key.fileobj
            got = sock.recv(65536)
            now = time.perf_counter_ns()
            text = tails[key.fd] + got
            cut = text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0
            stamps = STAMP.findall(text[:cut])
            seen += [(int(stamp), (now - int(stamp)) / 1000) for stamp in stamps]
            if stamps and waited_for:
                waited_for.discard(key.fd)
                begun_ns = now
            tails[key.fd] = text[cut:]
            if not got or text.endswith(b"0\r\n\r\n"):
                ended_ns = ended_ns or seen[-1][0]
                selector.unregister(sock)
                del tails[key.fd]
                sock.close()
    phases: dict[str, list[float]] = {"steady": [], "edges": []}
    for stamp, delay in seen:
        phases["steady" if begun_ns <= stamp < ended_ns else "edges"].append(delay)
    json.dump(phases, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
