"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import health, told
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (told.AREA, health.AREA)
