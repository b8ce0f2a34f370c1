"""Grounds: memories are bound to the files of their projects' repositories on this machine.

An open server does the same for the projects that it is asked about. No undo takes it back: what is
bound follows from the record and the repository.
"""

from collections.abc import Sequence

from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.model.nightly import StepOutcome

_COUNTED = 10_000


class BindFilesStep(PiecewiseStep):
    """Binds memories to files."""

    name = "bind_files"
    summary = "Find the files that memories speak of, in the repositories that are on this machine."
    things = ("memory of a repository", "memories of repositories")
    deed = "looked at"

    def count_work(self, context: StepContext) -> int:
        """Count the memories of projects on this machine at which nobody has looked."""
        if context.grounds is None:
            return 0
        projects = context.grounds.list_projects()
        with context.store.read(context.tenant) as tx:
            return sum(len(tx.grounds.list_unbound(one, _COUNTED)) for one in projects)

    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Look at some memories of one project."""
        if context.grounds is not None:
            for project in context.grounds.list_projects():
                looked_at = context.grounds.bind_some(context.tenant, project)
                if looked_at:
                    return [ItemResult(StepOutcome.DONE)] * looked_at
        return []
