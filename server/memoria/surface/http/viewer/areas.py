"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import (
    changes,
    core,
    days,
    forgetting,
    health,
    live,
    memories,
    names,
    nights,
    projects,
    reading,
    review,
    search,
    tokens,
    told,
)
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (
    told.AREA,
    search.AREA,
    days.AREA,
    review.AREA,
    names.AREA,
    nights.AREA,
    memories.AREA,
    changes.AREA,
    core.AREA,
    forgetting.AREA,
    reading.AREA,
    projects.AREA,
    tokens.AREA,
    live.AREA,
    health.AREA,
)
