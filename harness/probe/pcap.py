"""Read a packet capture through tshark: plain HTTP/1.1 over TCP, one read a segment."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from harness.capture.model import Capture
from harness.capture.packets import Segment, captures_of
from harness.errors import CaptureError, InputError

_FIELDS = (
    "tcp.stream", "frame.time_epoch", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport",
    "tcp.seq", "tcp.flags.fin", "tcp.flags.reset", "frame.len", "frame.cap_len", "tcp.payload",
)  # fmt: skip
_CAUGHT = _FIELDS.index("frame.cap_len")
_TRUE = ("1", "True")


def load_pcap(path: Path, hop: str, name: str = "") -> list[Capture]:
    """The exchanges of a pcap or pcapng file, which errors call ``name``.

    Raises InputError without tshark, CaptureError on what it cannot read.
    """
    name = name or str(path)
    tshark = shutil.which("tshark")
    if tshark is None:
        raise InputError("a packet capture needs tshark, which is not installed", name, "apt-get install tshark")
    captures, passed = captures_of(_segments(tshark, path, name), hop)
    if captures:
        return captures
    if passed.http2:
        do = "Record with curl -N --trace-time --trace FILE, or where HTTP/1.1 is spoken"
        raise CaptureError("its connections speak HTTP/2, which is not read from packets", name, do)
    if passed.encrypted:
        raise CaptureError("its connections are encrypted", name, "Record behind the point where TLS ends")
    raise CaptureError("no HTTP/1.1 request in it", name, "Record with: tcpdump -i any -s 0 -w FILE tcp port PORT")


def _segments(tshark: str, path: Path, name: str) -> Iterator[Segment]:
    wanted = "tcp && (tcp.len > 0 || tcp.flags.fin == 1 || tcp.flags.reset == 1)"
    command = [tshark, "-r", str(path), "-n", "-Y", wanted, "-T", "fields", "-E", "separator=/t"]
    # Heuristic dissectors and reassembly cost time and would hide single segments.
    command += ["-o", "tcp.desegment_tcp_streams:FALSE", "--disable-protocol", "http"]
    for column in _FIELDS:
        command += ["-e", column]
    with TemporaryFile("w+") as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as run:
        assert run.stdout is not None
        try:
            for line in run.stdout:
                columns = line.rstrip("\n").split("\t")
                segment = _segment(columns)
                if segment is None:
                    continue
                if columns[_CAUGHT] != columns[_CAUGHT - 1]:
                    what = f"its packets were cut after {columns[_CAUGHT]} bytes when they were recorded"
                    raise CaptureError(what, name, "Record them whole: tcpdump -s 0")
                yield segment
            status = run.wait()
        finally:
            run.kill()
        said.seek(0)
        complaint = said.read().strip().splitlines()
    # A capture that was cut off while it was written ends in an error, and still holds what came before.
    if status != 0 and not any("cut short" in line for line in complaint):
        reason = next((line for line in reversed(complaint) if line.startswith("tshark: ")), "tshark failed")
        raise CaptureError(
            reason.removeprefix("tshark: ").replace(str(path), name), name, "Expected a pcap or pcapng file"
        )


def _segment(columns: list[str]) -> Segment | None:
    if len(columns) != len(_FIELDS):
        return None
    stream, epoch, v4, v6, port, to4, to6, to_port, seq, fin, rst, _, _, payload = columns
    if "," in stream or not stream:  # a tunnel holds several layers in one packet
        return None
    seconds, _, fraction = epoch.partition(".")
    try:
        return Segment(
            stream=int(stream),
            ns=int(seconds) * 10**9 + int(fraction[:9].ljust(9, "0")),
            source=f"{v4 or v6}:{port}",
            target=f"{to4 or to6}:{to_port}",
            seq=int(seq),
            data=bytes.fromhex(payload.replace(":", "")),
            fin=fin in _TRUE,
            rst=rst in _TRUE,
        )
    except ValueError:
        return None
