"""The table of routes. Whatever is served over REST stands in it, and in the OpenAPI document."""

from typing import Any

from memoria.surface.http.rest import (
    conversations,
    events,
    forgetting,
    memories,
    origins,
    portable,
    search,
    upkeep,
)
from memoria.surface.http.rest.table import RestRoute

ROUTES: tuple[RestRoute[Any], ...] = (
    *conversations.ROUTES,
    *search.ROUTES,
    *memories.ROUTES,
    *origins.ROUTES,
    *forgetting.ROUTES,
    *upkeep.ROUTES,
    *portable.ROUTES,
    *events.ROUTES,
)
