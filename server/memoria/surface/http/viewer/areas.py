"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import core, forgetting, health, nights, reading, tokens, told
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (
    told.AREA,
    nights.AREA,
    core.AREA,
    forgetting.AREA,
    reading.AREA,
    tokens.AREA,
    health.AREA,
)
