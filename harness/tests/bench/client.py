"""The bench's client: N raw streams at once; prints each event's delay in microseconds as JSON.

``python client.py PORT PATH BODY STREAMS RATE``: the streams start spread over one period, as real ones would.
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
    delays: list[float] = []
    tails: dict[int, bytes] = {}
    for _ in range(streams):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.sendall(wish)
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ)
        tails[sock.fileno()] = b""
        time.sleep(1 / rate / streams)
    while tails:
        for key, _ in selector.select():
            sock = key.fileobj
            got = sock.recv(65536)
            now = time.perf_counter_ns()
            text = tails[key.fd] + got
            cut = text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0
            delays += [(now - int(stamp)) / 1000 for stamp in STAMP.findall(text[:cut])]
            tails[key.fd] = text[cut:]
            if not got or text.endswith(b"0\r\n\r\n"):
                selector.unregister(sock)
                del tails[key.fd]
                sock.close()
    json.dump(delays, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
