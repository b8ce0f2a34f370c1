"""Health: what the memory holds, and whether all is well."""

from memoria.surface.http.viewer.table import ROOT, Area, Page, Shown, Visit, Wish


async def show_health(visit: Visit, _wish: Wish) -> Shown:
    """Show counts and the findings of a quick look."""
    health = await visit.memory.health(deep=False)
    return Shown("health.html", {"health": health, "held": await visit.memory.statistics()})


AREA = Area((Page(f"{ROOT}/health", "health", "Health", Wish, show_health, menu="more"),))
