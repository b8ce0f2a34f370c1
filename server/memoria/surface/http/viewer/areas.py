"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import (
    changes,
    health,
    memories,
    names,
    projects,
    review,
    search,
    told,
)
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (
    told.AREA,
    search.AREA,
    review.AREA,
    names.AREA,
    memories.AREA,
    changes.AREA,
    projects.AREA,
    health.AREA,
)
