"""Our own field in a HAR entry, ``_streamscope``: what HAR cannot hold, so that a capture comes back exactly.

``{"opening": …, "head": … | absent, "reads": [{"t", "bytes"}, …], "end": … | absent, "body": base64 | absent,
"shared": true | absent}``: the lines of a capture file, where a read names the number of its bytes. The bytes
are those of ``response.content`` unless ``body`` holds them; ``shared`` marks a tap that only stamps.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from harness.capture.fields import Object, Place, integer, mapping, shown, text
from harness.capture.format import dump_lines
from harness.capture.har_body import content
from harness.capture.lines import Lines
from harness.capture.model import Capture

OWN = "_streamscope"


def own_field(capture: Capture, shown_body: bytes) -> Object:
    """The field for a capture whose HAR entry shows ``shown_body`` as its content."""
    lines = [json.loads(line) for line in dump_lines(capture)]
    found: Object = {"opening": lines[0], "reads": []}
    start = 0
    for line in lines[1:]:
        if "status" in line:
            found["head"] = line
        elif "end" in line:
            found["end"] = line
        elif "upto" in line:
            found["reads"].append(line)
        else:
            stop = capture.ends[len(found["reads"])]
            kept = {key: value for key, value in line.items() if key not in ("data", "b64")}
            found["reads"].append({**kept, "bytes": stop - start})
            start = stop
    if capture.body is None:
        found["shared"] = True
    elif capture.body != shown_body:
        found["body"] = base64.b64encode(capture.body).decode("ascii")
    return found


def own_capture(place: Place, entry: Object) -> Capture:
    """The capture that :func:`own_field` wrote down. Raises CaptureError when the field was tampered with."""
    own = mapping(place, entry, OWN)
    reader = Lines(place.name)
    reader.place = place
    body, start = _body(place, entry, own), 0
    reads: Any = own.get("reads", [])
    if not isinstance(reads, list) or not all(isinstance(read, dict) for read in reads):
        place.fail(f'expected "{OWN}" to hold a list of reads, found {shown(reads)}')
    reader.take(mapping(place, own, "opening"))
    if "head" in own:
        reader.take(mapping(place, own, "head"))
    for read in reads:
        if "bytes" not in read:
            reader.take(read)
            continue
        stop = start + integer(place, read, "bytes", least=0)
        if stop > len(body):
            place.fail(f'expected "{OWN}" to tell of {len(body)} bytes, as the content has, found {stop}')
        data = base64.b64encode(body[start:stop]).decode("ascii")
        reader.take({**{key: value for key, value in read.items() if key != "bytes"}, "b64": data})
        start = stop
    if "end" in own:
        reader.take(mapping(place, own, "end"))
    return reader.close()


def _body(place: Place, entry: Object, own: Object) -> bytes:
    if "body" in own:
        try:
            return base64.b64decode(text(place, own, "body"), validate=True)
        except (binascii.Error, ValueError):
            place.fail(f'expected the body in "{OWN}" to be base64')
    return content(place, mapping(place, entry, "response")) or b""
