"""All areas of the viewer, in the order of its menu."""

from memoria.surface.http.viewer import (
    changes,
<<<<<<< HEAD
    health,
    memories,
    names,
    projects,
    review,
    search,
=======
    core,
    days,
    forgetting,
    health,
    memories,
    nights,
    reading,
    search,
    tokens,
>>>>>>> main
    told,
)
from memoria.surface.http.viewer.table import Area

AREAS: tuple[Area, ...] = (
    told.AREA,
    search.AREA,
<<<<<<< HEAD
    review.AREA,
    names.AREA,
    memories.AREA,
    changes.AREA,
    projects.AREA,
=======
    days.AREA,
    nights.AREA,
    memories.AREA,
    changes.AREA,
    core.AREA,
    forgetting.AREA,
    reading.AREA,
    tokens.AREA,
>>>>>>> main
    health.AREA,
)
