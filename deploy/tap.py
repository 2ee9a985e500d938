#!/usr/bin/env python3
"""Streamscope's inline tap in one file, for machines where nothing can be
installed (Python 3.8 or newer, no packages).

    python3 tap.py --listen 0.0.0.0:9000 --upstream http://127.0.0.1:8000

Point the base URL of a gateway (or a chat page) at it. Bytes go through
untouched, both ways; each exchange leaves two capture files, what was read from
the upstream and what was written to the client, with a stamp for every read. A
client that leaves takes its upstream connection with it. Copy the folder to
where Streamscope is:

    python manage.py diagnose captures/000001.*.capture.jsonl

Secrets (authorization, cookies, keys) are masked before anything is written.
The folder is bounded. Prompts and answers are in it: treat it as you treat
them.
"""
# ruff: noqa: B905, PTH103, PTH108, PTH118, PTH123, PTH202, PTH208, RUF005, RUF007, SIM105, SIM905, UP017, UP031, UP041
# It runs on old Pythons, and imports no more than the job needs.

import argparse
import asyncio
import base64
import json
import os
import re
import signal
import socket
import ssl
import struct
import sys
import time
import uuid
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from urllib.parse import unquote_plus, urlsplit

KINDS = ("engine", "gateway", "app", "proxy", "network-path", "browser", "client")
HEAD_LIMIT = 256 * 1024
REQUEST_LIMIT = 4 * 1024 * 1024  # bytes of one request that are kept
BODY_LIMIT = 64 * 1024 * 1024  # bytes of one answer that are kept
HIGH_WATER = 1024 * 1024  # bytes that one side may leave unread before the other is paused
CONNECT_S = 10.0
now_ns = time.perf_counter_ns

# Masking: a name is secret by one of its words, so that `x-goog-api-key` is and `max_tokens` is not.
SECRET = set(
    "apikey auth authorization bearer cookie cookie2 credential credentials jwt passwd password pwd secret sig "
    "signature token".split()
)
PAIRS = {"api key", "access key", "private key", "secret key", "auth key"}
PLAIN = {"token_count", "token_type", "token_usage", "auth_type", "token_limit", "www_authenticate"}
WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
SCHEME = re.compile(r"\s*(Bearer|Basic|Digest|Negotiate|Token|ApiKey)\s+\S", re.I)
KEY = re.compile(r"(?:sk|pk|rk|fastgpt|gsk|hf|xai|ghp|glpat|AIza)[-_]?[A-Za-z0-9_\-]{12,}")


def secret_name(name):
    if name.lower().replace("-", "_") in PLAIN:
        return False
    words = [word.lower() for word in WORD.findall(name)]
    return not SECRET.isdisjoint(words) or any(" ".join(two) in PAIRS for two in zip(words, words[1:]))


def secret_value(value):
    return bool(KEY.fullmatch(value.strip())) and any(char.isdigit() for char in value)


def mask_value(value):
    if not value.strip():
        return value
    found = SCHEME.match(value)
    return found[1] + " ***" if found else "***"


def mask_headers(headers):
    kept = []
    for name, value in headers:
        hide = secret_name(name) or secret_value(value) or value.lower().startswith("bearer ")
        kept.append([name, mask_value(value) if hide else mask_url(value) if "://" in value else value])
    return kept


def mask_url(url):
    url = re.sub(r"(?<=://)[^/?#@\s]*(?=@)", "***", url)
    path, mark, query = url.partition("?")
    path = "/".join("***" if secret_value(part) else part for part in path.split("/"))

    def pair(found):
        name, value = unquote_plus(found[1]), unquote_plus(found[2])
        return found[1] + "=***" if secret_name(name) or secret_value(value) or name.lower() == "key" else found[0]

    return path + mark + re.sub(r"([^?#&=;\s]+)=([^&#;\s]+)", pair, query)


def mask_body(body, hidden=False):
    if isinstance(body, dict):
        return {name: mask_body(value, hidden or secret_name(name)) for name, value in body.items()}
    if isinstance(body, list):
        return [mask_body(value, hidden) for value in body]
    if isinstance(body, str):
        return mask_value(body) if hidden else "***" if secret_value(body) else body
    return body


def secrets_of(headers):
    words = {value.split()[-1] for name, value in headers if secret_name(name) and value.strip()}
    return sorted((word.encode("utf-8", "replace") for word in words if len(word) >= 8), key=len, reverse=True)


def veiled(pieces, secrets):
    """The pieces with stars for keys that the server says back; one that two share is hidden in the second."""
    before, reach = b"", max([len(secret) for secret in secrets] or [1]) - 1
    for piece in pieces:
        whole = kept = before + piece
        for secret in secrets:
            kept = kept.replace(secret, b"*" * len(secret))
        yield kept[len(before) :]
        before = whole[-reach:] if reach else b""


class Reader:
    """Bytes of one direction of an HTTP/1.1 connection into events: ("head", line, headers), ("body", b), ("end",)."""

    def __init__(self, response):
        self.response, self.buffer, self.mode, self.left, self.method = response, b"", "head", 0, ""

    def feed(self, data):
        """Raises ValueError for what is no HTTP."""
        self.buffer += data
        events = []
        while self._step(events):
            pass
        return events

    def _step(self, events):
        """One step; False when more bytes are needed."""
        if self.mode == "head":
            return self._head(events)
        if self.mode in ("length", "chunk"):
            part, self.buffer = self.buffer[: self.left], self.buffer[self.left :]
            self.left -= len(part)
            if part:
                events.append(("body", part))
            if self.left:
                return False
            if self.mode == "length":
                return self._end(events)
            self.mode = "after"
            return True
        if self.mode == "close":
            if self.buffer:
                events.append(("body", self.buffer))
                self.buffer = b""
            return False
        line, found, rest = self.buffer.partition(b"\n")
        if not found:
            if len(self.buffer) > 16384:
                raise ValueError("a chunk's line is too long")
            return False
        self.buffer, line = rest, line.rstrip(b"\r")
        if self.mode == "size":
            self.left = int(line.partition(b";")[0].strip() or b"x", 16)
            self.mode = "chunk" if self.left else "trailer"
        elif self.mode == "after":
            if line:
                raise ValueError("a chunk is longer than it says")
            self.mode = "size"
        elif not line:
            return self._end(events)
        return True

    def _head(self, events):
        self.buffer = self.buffer.lstrip(b"\r\n")
        found = re.search(rb"\n\r?\n", self.buffer)
        if not found:
            if len(self.buffer) > HEAD_LIMIT:
                raise ValueError("no head within %d bytes" % HEAD_LIMIT)
            return False
        lines = self.buffer[: found.start()].decode("latin-1").split("\n")
        self.buffer = self.buffer[found.end() :]
        split = [line.partition(":") for line in lines[1:]]
        headers = [(name.strip().lower(), value.strip()) for name, mark, value in split if mark]
        start = lines[0].strip()
        if not re.match(r"HTTP/\d\.\d \d{3}" if self.response else r"[!-~]+ \S+ HTTP/\d", start):
            raise ValueError("not HTTP/1.1")
        status = int(start.split()[1]) if self.response else 0
        if 100 <= status < 200 and status != 101:
            return True  # an interim answer
        events.append(("head", start, headers))
        fields = dict(headers)
        if self.response and (status in (204, 304) or self.method == "HEAD"):
            return self._end(events)
        if "chunked" in fields.get("transfer-encoding", "").lower():
            self.mode = "size"
        elif "content-length" in fields:
            self.mode, self.left = "length", int(fields["content-length"].partition(",")[0])
        elif self.response:
            self.mode = "close"
        else:
            return self._end(events)
        return True

    def _end(self, events):
        events.append(("end",))
        self.mode = "head"
        return bool(self.buffer)


class Exchange:
    """One request and its answer. ``reads``: (read ns, written ns, bytes)."""

    def __init__(self, start, headers, at):
        self.method, self.target = start.split()[:2]
        self.headers, self.asked, self.sent, self.done_asking = headers, b"", at, False
        self.at = time.time() - (now_ns() - at) / 1e9
        self.head, self.reads, self.size, self.end, self.flooded = None, [], 0, None, False

    def key(self, body):
        user = body.get("user") if isinstance(body, dict) else None
        return dict(self.headers).get("x-exchange-id") or (user if isinstance(user, str) else "") or uuid.uuid4().hex


class Watch:
    """Listens to one connection. What it cannot make sense of ends the listening, never the connection."""

    def __init__(self, done):
        self.done, self.blind, self.waiting = done, False, deque()
        self.ask, self.answer = Reader(False), Reader(True)
        self.newest = None

    def asked(self, data, at):
        for event in self._events(self.ask, data, at):
            if event[0] == "head":
                self.newest = Exchange(event[1], event[2], at)
                self.waiting.append(self.newest)
            elif event[0] == "body" and len(self.newest.asked) < REQUEST_LIMIT:
                self.newest.asked += event[1]
            elif event[0] == "end" and self.newest.head is None:
                self.newest.sent, self.newest.at = at, time.time() - (now_ns() - at) / 1e9

    def answered(self, data, read, written):
        if not self.waiting:
            return
        body = b""
        self.answer.method = self.waiting[0].method
        for event in self._events(self.answer, data, read):
            if not self.waiting:
                break
            exchange = self.waiting[0]
            if event[0] == "head":
                exchange.head = (read, written, event[1], event[2])
                self.blind = self.blind or event[1].split()[1] == "101"
            elif event[0] == "body":
                body += event[1]
            if event[0] == "end":
                self._read(exchange, read, written, body)
                body = b""
                self.ended("complete", "", read, written)
                self.answer.method = self.waiting[0].method if self.waiting else ""
        if body and self.waiting:
            self._read(self.waiting[0], read, written, body)

    @staticmethod
    def _read(exchange, read, written, body):
        if body and exchange.size < BODY_LIMIT:
            exchange.reads.append((read, written, body))
            exchange.size += len(body)
        elif body:
            exchange.flooded = True

    def _events(self, reader, data, at):
        if self.blind:
            return []
        try:
            return reader.feed(data)
        except ValueError as error:
            self.ended("truncated", "not HTTP: %s" % error, at, at)
            self.blind = True
            return []

    def ended(self, kind, detail, read, written=None):
        """The exchange at hand is over; harmless where there is none."""
        if not self.waiting or self.blind:
            return
        exchange = self.waiting.popleft()
        if exchange.flooded:  # the answer went on, and what was kept of it did not
            kind, detail = "timeout", "size"
        elif kind == "close":
            whole = exchange.head is not None and self.answer.mode == "close"
            kind = "complete" if whole else "truncated"
        exchange.end = (read, written or read, kind, detail)
        self.done(exchange)


class Client(asyncio.Protocol):
    def __init__(self, tap):
        self.tap, self.watch, self.early, self.up, self.gone = tap, Watch(tap.done), b"", None, False
        self.refused = ""  # why the upstream could not be reached

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(HIGH_WATER)
        self.tap.clients.add(self)
        self.joining = asyncio.ensure_future(self._join())

    async def _join(self):
        opening = asyncio.get_event_loop().create_connection(
            lambda: Upstream(self), self.tap.host, self.tap.port, ssl=self.tap.tls
        )
        try:
            _, self.up = await asyncio.wait_for(opening, CONNECT_S)
        except (OSError, asyncio.TimeoutError) as error:
            self.tap.say("%s cannot be reached: %s" % (self.tap.upstream, error or "no answer"))
            self.refused = "refused: %s" % error
            if self.early:
                self._refuse()
            else:  # what was to be asked shows in a moment
                asyncio.get_event_loop().call_later(1, self._refuse)
            return
        early, self.early = self.early, b""
        if early:
            self._forward(early)
        self.transport.resume_reading()

    def _refuse(self):
        if not self.gone:
            self.gone = True
            self.watch.asked(self.early, now_ns())
            self.watch.ended("reset", self.refused, now_ns())
            self.transport.abort()

    def data_received(self, data):
        if self.up is not None:
            self._forward(data)
            return
        self.early += data
        if self.refused:
            self._refuse()
        if len(self.early) > HIGH_WATER:
            self.transport.pause_reading()

    def _forward(self, data):
        at = now_ns()
        self.up.transport.write(data)
        self.watch.asked(data, at)

    def connection_lost(self, error):
        """The client has left: so does its upstream connection, at once."""
        self.tap.clients.discard(self)
        self.joining.cancel()
        if not self.gone:
            self.gone = True
            self.watch.ended("aborted", "client-left", now_ns())
        if self.up is not None:
            self.up.transport.abort()

    def pause_writing(self):
        if self.up is not None and not self.up.closed:
            self.up.transport.pause_reading()

    def resume_writing(self):
        if self.up is not None and not self.up.closed:
            self.up.transport.resume_reading()


class Upstream(asyncio.Protocol):
    def __init__(self, client):
        self.client, self.closed = client, False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        read = now_ns()
        if self.client.gone:
            return
        written = now_ns()
        self.client.transport.write(data)  # first on its way, then looked at
        self.client.watch.answered(data, read, written)

    def connection_lost(self, error):
        self.closed = True
        client = self.client
        if client.gone:
            return
        client.gone = True
        client.watch.ended("reset" if error else "close", "", now_ns())
        if error and not client.transport.get_write_buffer_size():
            sock = client.transport.get_extra_info("socket")
            if sock is not None:  # RST, as the upstream did
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.transport.abort()
        else:
            client.transport.close()


class Folder:
    """Two files an exchange, at most ``keep`` exchanges and ``most`` bytes; the oldest go first."""

    def __init__(self, path, keep, most):
        self.path, self.keep, self.most, self.sizes = path, keep, most, {}
        try:
            os.makedirs(path, exist_ok=True)
            if not os.access(path, os.W_OK | os.X_OK):
                raise PermissionError(13, "it cannot be written")
        except OSError as error:
            said = "--save %s: %s. Name a folder that can be written." % (path, error.strerror)
            raise ValueError(said) from None
        for name in sorted(os.listdir(path)):
            if re.match(r"\d{6}\..*\.capture\.jsonl$", name):
                self._count(name)

    def _count(self, name):
        number = int(name[:6])
        self.sizes.setdefault(number, []).append((name, os.path.getsize(os.path.join(self.path, name))))

    def write(self, files):
        """``files``: [(what follows the number, lines)]. Returns the number."""
        number = max(self.sizes, default=0) + 1
        for name, lines in files:
            name = "%06d.%s" % (number, name)
            with open(os.path.join(self.path, name), "w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            self._count(name)
        while len(self.sizes) > 1 and (len(self.sizes) > self.keep or self._held() > self.most):
            for name, _ in self.sizes.pop(min(self.sizes)):
                try:
                    os.unlink(os.path.join(self.path, name))
                except OSError:
                    pass
        return number

    def _held(self):
        return sum(size for files in self.sizes.values() for _, size in files)


class Tap:
    def __init__(self, options):
        parts = urlsplit(options.upstream if "://" in options.upstream else "http://" + options.upstream)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("--upstream %r is not an address: write it as http://host:port" % options.upstream)
        self.tls = ssl.create_default_context() if parts.scheme == "https" else None
        self.host, self.port = parts.hostname, parts.port or (443 if self.tls else 80)
        self.upstream = "%s://%s" % (parts.scheme, parts.netloc)
        self.hop = options.hop
        self.kind = options.kind or (options.hop if options.hop in KINDS else "engine")
        self.folder = Folder(options.save, options.keep, options.max_mb * 1024 * 1024)
        self.count, self.seen, self.clients = options.count, 0, set()
        self.loop, self.over = asyncio.get_event_loop(), asyncio.Event()
        self.disk = ThreadPoolExecutor(1)
        self.clock = {"id": boot_id(), "source": "monotonic", "resolution_ms": 1e-6, "offset_ms": 0.0,
                      "uncertainty_ms": 0.0}  # fmt: skip

    def done(self, exchange):
        self.disk.submit(self._keep, exchange)

    def _keep(self, exchange):
        try:
            key, files = self._files(exchange)
            number = self.folder.write(files)
            status = exchange.head[2].split()[1] if exchange.head else "no answer"
            self.say("%06d %s: %s, %s, %d bytes" % (number, key, status, exchange.end[2], exchange.size))
        except Exception as error:  # a full disk, say: the line must go on
            self.say("an exchange could not be kept: %s" % error)
        self.seen += 1
        if self.seen == self.count:
            self.loop.call_soon_threadsafe(self.over.set)

    def _files(self, exchange):
        try:
            body = json.loads(exchange.asked) if exchange.asked else None
        except ValueError:
            body = exchange.asked.decode("utf-8", "replace")
        key, secrets = exchange.key(body), secrets_of(exchange.headers)
        request = {"method": exchange.method, "url": mask_url(self.upstream + exchange.target),
                   "headers": mask_headers(exchange.headers), "body": mask_body(body)}  # fmt: skip
        at = datetime.fromtimestamp(exchange.at, timezone.utc).isoformat(timespec="microseconds")
        stem = re.sub(r"[^A-Za-z0-9_-]", "_", key)[:60]
        files = []
        for side, (hop, kind, tap) in enumerate(((self.hop, self.kind, "read"), ("tap", "network-path", "write"))):
            lines = [{"capture": 1, "hop": hop, "kind": kind, "tap": tap, "exchange": key, "request": request,
                      "sent_at": at.replace("+00:00", "Z"), "clock": self.clock, "content_decoded": False,
                      "meta": {"inline": True}}]  # fmt: skip

            def ms(stamps, since=exchange.sent, side=side):
                return max(0.0, (stamps[side] - since) / 1e6)

            if exchange.head:
                version, status = exchange.head[2].split()[:2]
                values = veiled([value.encode("utf-8", "replace") for _, value in exchange.head[3]], secrets)
                heads = [(name, value.decode("utf-8", "replace")) for (name, _), value in zip(exchange.head[3], values)]
                lines.append({"t": ms(exchange.head), "status": int(status), "http": version[5:],
                              "headers": mask_headers(heads)})  # fmt: skip
            shown = veiled([read[2] for read in exchange.reads], secrets)
            for read, data in zip(exchange.reads, shown):
                lines.append(dict({"t": ms(read)}, **content(data)))
            lines.append({"t": ms(exchange.end), "end": exchange.end[2], "detail": exchange.end[3]})
            files.append(("%s.%s.%s.capture.jsonl" % (stem, re.sub(r"[^A-Za-z0-9_-]", "_", hop), tap), lines))
        return key, files

    @staticmethod
    def say(line):
        print(line, file=sys.stderr, flush=True)

    async def run(self, host, port):
        try:
            server = await self.loop.create_server(lambda: Client(self), host, port)
        except OSError as error:
            known = error.errno is not None and error.errno > 0  # else of the name's look-up
            why = os.strerror(error.errno) if known else error.strerror or error
            said = "--listen %s:%d: %s. Name an address of this machine and a free port." % (host, port, why)
            raise ValueError(said) from None
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                self.loop.add_signal_handler(number, self.over.set)
            except NotImplementedError:  # Windows: Ctrl-C raises KeyboardInterrupt instead
                pass
        bound = server.sockets[0].getsockname()
        self.say("Tapping %s on http://%s:%d; captures go to %s. Ctrl-C ends." % (
            self.upstream, bound[0], bound[1], self.folder.path))  # fmt: skip
        try:
            await self.over.wait()
        finally:
            server.close()
            for client in list(self.clients):
                client.watch.ended("open", "interrupted", now_ns())
                client.gone = True
                client.transport.abort()
            await asyncio.sleep(0)
            self.disk.shutdown()


def content(data):
    try:
        return {"data": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(data).decode("ascii")}


def boot_id():
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return uuid.uuid4().hex


def main():
    first, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=first, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--listen", default="127.0.0.1:9000", metavar="ADDR", help="host:port (default %(default)s)")
    parser.add_argument("--upstream", required=True, metavar="URL", help="where to forward to: http://host:port")
    parser.add_argument("--hop", default="engine", help="what the upstream is called (default %(default)s)")
    parser.add_argument("--kind", default="", choices=("",) + KINDS, help="its kind (default: the hop, else engine)")
    parser.add_argument("--save", default="captures", metavar="DIR", help="where captures go (default ./%(default)s)")
    parser.add_argument("--keep", type=int, default=200, metavar="N", help="exchanges kept (default %(default)s)")
    parser.add_argument("--max-mb", type=int, default=500, metavar="N", help="megabytes kept (default %(default)s)")
    parser.add_argument("--count", type=int, default=0, metavar="N", help="end after N exchanges (default: never)")
    options = parser.parse_args()
    host, _, port = options.listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535 or options.keep < 1 or options.max_mb < 1:
        parser.error("--listen is host:port (127.0.0.1:9000), --keep and --max-mb are 1 or more")
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(Tap(options).run(host.strip("[]"), int(port)))
    except (OSError, ValueError) as error:
        print("tap: %s" % error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
