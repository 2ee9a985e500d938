"""What a form asks for, checked: route, prompt, rounds, recordings, gateway logs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, UnreadablePostError
from django.http.multipartparser import MultiPartParserError

from harness.errors import InputError, LimitExceeded
from harness.runs import uploads
from harness.runs.beside import Given
from harness.runs.gateway_logs import in_memory
from harness.runs.uploads import Recording

MOST_ROUNDS = 50
LONGEST_PROMPT = 1_000_000  # characters
FORM = 4 * 1024 * 1024  # bytes of a form beside its files
FURTHEST = 10 * 366 * 86400.0  # seconds that a log's clock may be off
OF_HOP = "recording:"  # the name of a file field is this and the hop's name


@dataclass(frozen=True, slots=True)
class Ladder:
    """A ladder that a form asks for."""

    route: str
    prompt: str
    repeat: int
    recordings: tuple[Recording, ...]


def ladder(request: HttpRequest) -> Ladder:
    """Raises InputError or LimitExceeded with the sentence to show."""
    check_body(request)
    route, prompt = request.POST.get("route", ""), request.POST.get("prompt", "").strip()
    if not route:
        raise InputError("no route is chosen", "route", "Choose the way to the model that is to be judged.")
    if not prompt:
        raise InputError("the prompt is empty", "prompt", "Write something to ask.")
    if len(prompt) > LONGEST_PROMPT:
        raise InputError(f"the prompt has {len(prompt):,} characters", "prompt", f"Use at most {LONGEST_PROMPT:,}.")
    rounds = request.POST.get("repeat", "1")
    if not rounds.isascii() or not rounds.isdigit() or not 1 <= int(rounds) <= MOST_ROUNDS:
        raise InputError(f"{rounds!r} rounds cannot be made", "repeat", f"Use a number from 1 to {MOST_ROUNDS}.")
    return Ladder(route, prompt, int(rounds), of_hops(request))


def of_hops(request: HttpRequest) -> tuple[Recording, ...]:
    """The recordings that were given for hops by name."""
    return _checked([
        _read(file, field.removeprefix(OF_HOP))
        for field in request.FILES
        if field.startswith(OF_HOP)
        for file in request.FILES.getlist(field)
    ])  # fmt: skip


def plain(request: HttpRequest) -> tuple[Recording, ...]:
    """Recordings without a route, in the order of the form; ``hop`` fields, if any, name them one by one."""
    check_body(request)
    files, hops = request.FILES.getlist("files"), request.POST.getlist("hop")
    if not files:
        raise InputError("no file is chosen", "upload", "Choose a capture file, a curl trace or a HAR.")
    named = [hop.strip() for hop in hops] if len(hops) == len(files) else [""] * len(files)
    return _checked([_read(file, hop) for file, hop in zip(files, named, strict=True)])


def logs(request: HttpRequest, *, needed: bool = False) -> tuple[Given, ...]:
    """Gateway logs: ``log`` files and pasted ``log_text``, of the hop ``log_hop``. InputError for none where one is
    ``needed``, and for what is no text."""
    hop, pasted = request.POST.get("log_hop", ""), request.POST.get("log_text", "")
    found = [Given(file.name or "log", file.read(), hop) for file in request.FILES.getlist("log")]
    if pasted.strip():
        found.append(Given("pasted lines", pasted.encode("utf-8", "replace"), hop))
    if needed and not found:
        raise InputError("no log is chosen", "log", "Choose a gateway's log file, or paste lines of it.")
    if len(found) > uploads.MOST:
        raise LimitExceeded(f"{len(found)} logs are too many at once", "upload", f"Choose at most {uploads.MOST}.")
    for one in found:
        in_memory(one.name, one.data)
    return tuple(found)


def log_offset(request: HttpRequest) -> float | None:
    """By how many seconds the log's clock is ahead of ours; None where nobody said so."""
    word = request.POST.get("log_offset", "").strip()
    try:
        seconds = float(word) if word else None
    except ValueError:
        seconds = math.nan
    if seconds is not None and not abs(seconds) <= FURTHEST:
        raise InputError(f"{word[:40]!r} is no clock offset", "clock offset", "Use seconds, such as 3600 or -2.5.")
    return seconds


def check_body(request: HttpRequest) -> None:
    """Refuse a request that is too large, before anything of it is read into memory, or no form. LimitExceeded,
    InputError."""
    size = request.META.get("CONTENT_LENGTH") or "0"
    uploads.check_total(int(size) if size.isdigit() else 0, FORM)
    try:
        _ = request.POST, request.FILES
    except MultiPartParserError as error:
        raise InputError(f"the form cannot be read: {error}", "body", "Send it as multipart/form-data.") from None
    except (TooManyFieldsSent, TooManyFilesSent):
        what = "the form has too many fields or files"
        raise LimitExceeded(what, "upload", f"Choose at most {uploads.MOST} files.") from None
    except UnreadablePostError:
        raise InputError("the upload broke off", "body", "Send it again.") from None


def _checked(recordings: list[Recording]) -> tuple[Recording, ...]:
    uploads.check(recordings)
    return tuple(recordings)


def _read(file: UploadedFile, hop: str) -> Recording:
    return Recording(file.name or "upload", file.read(), hop)
