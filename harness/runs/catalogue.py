"""Every route there is: from the environment, from the database, from the lab."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.db.utils import OperationalError, ProgrammingError

from harness.errors import RouteError
from harness.routes.catalogue import merged, resolve
from harness.routes.env import env_routes
from harness.routes.model import Route
from harness.routes.spec import route_from

log = logging.getLogger(__name__)


def all_routes() -> list[Route]:
    """Environment routes, stored routes, lab routes. Raises InputError for a variable that makes no sense."""
    return merged(env_routes(os.environ), stored_routes(), lab())


def find(name: str) -> Route:
    """The route that ``ROUTE`` or ``ROUTE/HOP`` names; raises UnknownRoute."""
    return resolve(name, all_routes())


aall_routes = sync_to_async(all_routes)
afind = sync_to_async(find)


def lab() -> list[Route]:
    """The lab's own routes."""
    if not find_spec("harness.lab.routes"):
        return []
    routes: list[Route] = import_module("harness.lab.routes").lab_routes(settings.LAB_URL)
    return routes


def stored_routes() -> list[Route]:
    """Routes of the database in their order; [] before it is made, and without making it."""
    from harness.models import StoredRoute

    file = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not file.startswith(("file:", ":")) and not Path(file).is_file():
        return []
    try:
        rows = list(StoredRoute.objects.all())
    except (OperationalError, ProgrammingError) as error:
        if "no such table" in str(error) or "does not exist" in str(error):
            return []
        raise
    routes = []
    for row in rows:
        try:
            routes.append(route_from(row.spec, "database", row.position, row.origin))
        except RouteError as error:  # written by another version; the others must not suffer
            log.warning("left out: %s", error)
    return routes
