"""Grounds: memories whose files have changed, and the binding of memories to files."""

from memoria.app.arguments import Count, check_arguments
from memoria.app.open_home import in_thread
from memoria.app.records import Records
from memoria.model import Memory
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.rows.transaction import Transaction


class GroundedRecords(Records):
    """Tells of one tenant's memory how the files stand that it speaks of."""

    @check_arguments
    async def list_moved(self, limit: Count = 20) -> list[Memory]:
        """List memories of the project at hand whose files have changed or are gone, newest first.

        Each says so in `ground`. Where there is much to look at, looking ends after some seconds.
        """
        grounds, project = self._home.grounds, self.settings.workspace
        if grounds is None or project is None:
            return []
        if project == EVERYWHERE:
            hidden = {*(self.settings.private_workspaces or ())}
            known = await in_thread(grounds.list_projects)
            places = [one for one in known if one not in hidden]
        else:
            places = [project]

        def read(tx: Transaction) -> list[Memory]:
            marks = grounds.list_moved(self.tenant, tx, places, limit)
            found = {one.id: one for one in tx.waiting.list_by_id([*marks])}
            shown = self._with_contradictions(tx, [found[one] for one in marks if one in found])
            return [one.model_copy(update={"ground": marks[one.id]}) for one in shown]

        return await self._read(read)

    async def bind_files(self) -> None:
        """Bind memories of the project at hand to its repository's files, until none is left.

        An open server does so by itself.
        """
        grounds, project, tenant = self._home.grounds, self.settings.workspace, self.tenant
        if grounds is None or project is None:
            return
        while await in_thread(lambda: grounds.bind_some(tenant, project)):
            pass
