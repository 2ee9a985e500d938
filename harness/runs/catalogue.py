"""Every route there is: from the environment, from the database, from the lab."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max
from django.db.utils import OperationalError, ProgrammingError

from harness.errors import RouteError
from harness.lab.routes import lab_routes
from harness.routes.catalogue import merged, resolve
from harness.routes.env import env_routes
from harness.routes.model import Route
from harness.routes.spec import route_from, spec_of
from harness.runs.migrated import migrated

log = logging.getLogger(__name__)


def all_routes() -> list[Route]:
    """Environment routes, stored routes, lab routes. Raises InputError for a variable that makes no sense."""
    return merged(env_routes(os.environ), stored_routes(), lab_routes(settings.LAB_URL))


def find(name: str) -> Route:
    """The route that ``ROUTE`` or ``ROUTE/HOP`` names; raises UnknownRoute."""
    return resolve(name, all_routes())


aall_routes = sync_to_async(all_routes)
afind = sync_to_async(find)


def store_routes(routes: Sequence[Route]) -> list[str]:
    """Store all of them or none, by name; new ones go last. Returns their names."""
    migrated()
    from harness.models import StoredRoute

    with transaction.atomic():
        last = StoredRoute.objects.aggregate(last=Max("position"))["last"] or 0
        for place, route in enumerate(routes, last + 1):
            values = {"spec": spec_of(route), "origin": "file"}
            StoredRoute.objects.update_or_create(
                name=route.name, defaults=values, create_defaults={**values, "position": place}
            )
    return [route.name for route in routes]


def stored_routes() -> list[Route]:
    """Routes of the database in their order; [] before it is made, and without making it."""
    from harness.models import StoredRoute

    file = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not file.startswith(("file:", ":")) and not Path(file).is_file():
        return []
    try:
        rows = list(StoredRoute.objects.all())
    except (OperationalError, ProgrammingError) as error:
        if "no such table" not in str(error) and "does not exist" not in str(error):
            # Those of the environment and the lab need no database: somebody with a full disk still finds the hop.
            log.warning("the stored routes are left out: %s (%s)", error, file)
        return []
    routes = []
    for row in rows:
        try:
            routes.append(route_from(row.spec, "database", row.position, row.origin))
        except RouteError as error:  # written by another version; the others must not suffer
            log.warning("left out: %s", error)
    return routes
