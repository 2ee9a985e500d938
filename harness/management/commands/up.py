"""``up``: migrate, start the lab and the web, say where they are, and end both on Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from harness.env import Env
from harness.errors import InputError
from harness.management.base import Outcome, ScopeCommand, to_json
from harness.management.children import Child, check_port, ended, first_end, ready, start, stop
from harness.routes.env import local_route
from harness.runs.adopt import adopt, orphans
from harness.runs.catalogue import all_routes
from harness.runs.engine import loaded, model_file
from harness.runs.migrated import migrated
from harness.runs.result import Tell

READY = """
Streamscope is at  {web}
The lab is at      {lab}

Try this: pick "lab-steady" and press Send, then "lab-stall" or "lab-buffer-until-end";
the verdict beside each answer names the hop at fault.
Your own gateway: HARNESS_GATEWAY_URL=http://gateway:3000/v1 HARNESS_MODEL=name make run
Ctrl-C stops everything.
"""


class Command(ScopeCommand):
    help = "Migrate, then serve the chat and the lab until Ctrl-C. PORT and LAB_PORT move the ports."

    def run(self, **options: Any) -> Coroutine[Any, Any, Outcome | None]:
        children = [
            Child(
                "web",
                ("-m", "daphne", "-v", "0", "-b", settings.BIND, "-p", str(settings.PORT), "harness.asgi:application"),
                settings.BIND,
                settings.PORT,
            ),
            Child("lab", ("manage.py", "lab"), "127.0.0.1", settings.LAB_PORT),
        ]
        local = local_route(env := Env(os.environ))
        env.check()
        if settings.PORT == settings.LAB_PORT:
            raise InputError(f"PORT and LAB_PORT are both {settings.PORT}", do="Set one of them to another port.")
        if local is not None:
            model_file(local.model)
            port = urlsplit(local.outermost.url).port or 0
            if port in (settings.PORT, settings.LAB_PORT):
                raise InputError(f"HARNESS_LOCAL_PORT is {port} too", do="Set it to another port.")
            children.append(Child("engine", ("-m", "harness.runs.engine", local.model, str(port)), "127.0.0.1", port))
        for child, variable in zip(children, ("PORT", "LAB_PORT", "HARNESS_LOCAL_PORT"), strict=False):
            check_port(child.host, child.port, variable)
        prepare(self.say)
        return self.serve(children)

    async def serve(self, children: list[Child]) -> None:
        try:
            for child in children:
                await start(child, settings.BASE_DIR)
            await asyncio.gather(*(ready(child) for child in children[:2]))
            for engine in children[2:]:
                assert engine.process is not None
                await loaded(engine.url, engine.process)
            self._tell({child.name: child.url for child in children})
            raise ended(await first_end(children))
        except asyncio.CancelledError:
            self.say("\nStopping …")
        finally:
            await stop(children)

    def _tell(self, urls: dict[str, str]) -> None:
        text = to_json(urls) if self.as_json else READY.format(web=urls["web"], lab=urls["lab"])
        if "engine" in urls and not self.as_json:
            text += f"The small model is the first route in the list; its engine is at {urls['engine']}\n"
        self.stdout.write(text)
        self.stdout.flush()


def prepare(say: Tell) -> None:
    """What the web needs before it starts: data directory, secret key, tables, usable routes; old spools adopted."""
    all_routes()
    migrated()
    if not settings.SECRET_FILE.is_file():
        file = os.open(settings.SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w") as out:
            out.write(secrets.token_urlsafe(50))
    left = orphans()
    if left:
        say(f"Judging what was running when the app was killed: {left} recordings …")
    adopt()
