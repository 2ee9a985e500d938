"""``manage.py lint FILE…``: proxy configurations against what streams need. Silent on well-set ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from django.core.management.base import CommandParser

from harness.diagnose.answer import Finding
from harness.errors import InputError
from harness.lint.envoy import lint_envoy
from harness.lint.haproxy import lint_haproxy
from harness.lint.hint import answer
from harness.lint.lines import lint_lines
from harness.lint.nginx import NEEDED_S, lint_nginx, places
from harness.lint.product import PRODUCTS, product_of
from harness.management.base import Outcome, ScopeCommand, code_of
from harness.phrase import say
from harness.probe.nginx_file import read_nginx, write_nginx
from harness.probe.recording import read_file

LIMIT = 8 * 1024 * 1024


class Command(ScopeCommand):
    diagnoses = True
    help = (
        "Check proxy configurations (nginx with its includes, HAProxy, Envoy, Caddy, Apache, lighttpd, Varnish, and "
        "Kubernetes' ingress-nginx and Istio; told by content) against what a stream needs, and print a corrected "
        "block. Well-set files: no output."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument("--nginx-version", default="", metavar="V", help="e.g. 1.22.1 (default: before 1.29.7)")
        parser.add_argument(
            "--silence", type=float, default=NEEDED_S, metavar="S",
            help=f"seconds that a stream may be silent: the route's read timeout (default {NEEDED_S:g})",
        )  # fmt: skip

    def run(self, **options: Any) -> Outcome:
        findings: list[Finding] = []
        corrected: list[dict[str, Any]] = []
        self.unseen: list[str] = []
        for path in options["files"]:
            found, blocks = self._lint(path, options["nginx_version"], options["silence"])
            findings += found
            corrected += blocks
        result = answer(findings, self.unseen)
        blocks_text = "\n".join(
            say("# {file}, line {line}: corrected", file=c["file"], line=c["line"]) + f"\n{c['block']}"
            for c in corrected
        )
        silent = result.verdict.healthy and not findings
        text = "" if silent else self._picture(result) + (f"\n{blocks_text}" if corrected else "")
        return Outcome({**result.as_json(), "corrected": corrected}, text, code_of(result))

    def _lint(self, path: Path, version: str, needed: float) -> tuple[list[Finding], list[dict[str, Any]]]:
        text = read_file(path, LIMIT).decode("utf-8", "replace")
        product, file = product_of(text), str(path)
        if product == "nginx":
            parsed, notes = read_nginx(path)
            for note in notes:
                self.say(f"{file}: {note}")
            if notes and not places(parsed, file):
                self.unseen.append(file)
            found, blocks = lint_nginx(parsed, file, version, needed)
            written = [{**b, "block": write_nginx(b["directives"])} for b in blocks]
            return found, [{key: b[key] for key in ("file", "line", "block")} for b in written]
        if product == "HAProxy":
            return lint_haproxy(text, file, needed), []
        if product == "Envoy":
            return lint_envoy(_yaml(text, file), file, needed), []
        if product:
            return lint_lines(text, file, product, needed), []
        raise InputError("no proxy configuration that is known here", file, f"Expected one of {', '.join(PRODUCTS)}")


def _yaml(text: str, file: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        at = f"{file}, line {mark.line + 1}" if mark else file
        raise InputError(f"no YAML: {getattr(error, 'problem', None) or 'it cannot be read'}", at) from None
