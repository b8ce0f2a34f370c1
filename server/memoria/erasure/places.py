"""Places of projects: a home that holds nothing of one any more no longer knows where it was."""

from memoria.bare.project_registry import Projects, change_projects
from memoria.store.engine import Store


def forget_places(store: Store, home: str) -> None:
    """Forget the paths of projects of which no tenant's memory knows the name any more."""
    names: set[str] = set()
    for tenant in store.tenants():
        with store.read(tenant) as tx:
            names.update(tx.projects.list_names())

    def forget(projects: Projects) -> bool:
        gone = [one for one, project in projects.items() if project.name not in names]
        for one in gone:
            del projects[one]
        return bool(gone)

    change_projects(home, forget)
