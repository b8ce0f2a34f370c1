"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import (
    changes,
    core,
    days,
    forgetting,
    health,
    memories,
    nights,
    reading,
    search,
    tokens,
    told,
)
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (
    told.AREA,
    search.AREA,
    days.AREA,
    nights.AREA,
    memories.AREA,
    changes.AREA,
    core.AREA,
    forgetting.AREA,
    reading.AREA,
    tokens.AREA,
    health.AREA,
)
