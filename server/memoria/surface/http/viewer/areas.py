"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import changes, days, health, live, memories, search, told
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (
    told.AREA,
    search.AREA,
    days.AREA,
    memories.AREA,
    changes.AREA,
    live.AREA,
    health.AREA,
)
