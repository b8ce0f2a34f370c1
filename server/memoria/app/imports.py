"""Imports and projects: what others have concluded, and where. `Memoria` adds what is said here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoria.app.messages import Messages
from memoria.app.threads import in_thread
from memoria.errors import InvalidInputError
from memoria.retrieval.query.plan import EVERYWHERE

if TYPE_CHECKING:
    from memoria.app.projects import ProjectTable
    from memoria.memories.foreign import ForeignReceipt
    from memoria.model.foreign import ForeignMemory


class Imports(Messages):
    """One tenant's memory, into which memories of other programs are written."""

    @property
    def projects(self) -> "ProjectTable":
        """The projects of the home, for the user to see and to join."""
        from memoria.app.projects import ProjectTable  # noqa: PLC0415  (few ask for it)

        return ProjectTable(self._store, self.settings)

    async def note_import(self, turns: int, memories: int, turn_ids: Sequence[str]) -> None:
        """Note that a person's import has come to its end, so that `undo` knows of it.

        Args:
            turns: how many turns came in.
            memories: how many memories did.
            turn_ids: one new turn of each conversation.
        """
        from memoria.memories.import_notes import note_import  # noqa: PLC0415  (as below)

        def note() -> None:
            with self._store.write(self.tenant, only_adds=True) as tx:
                note_import(tx, self._channel, turns, memories, turn_ids)

        await in_thread(note)

    async def keep_foreign(
        self, memories: "Sequence[ForeignMemory]", *, workspace: str | None = None
    ) -> "ForeignReceipt":
        """Write memories of another program in one transaction. They are on disk afterwards.

        Args:
            memories: not too many: nobody else writes meanwhile.
            workspace: the project they belong to, `none` for none; the configured one by default.
        """
        from memoria.memories.foreign import ForeignMemories  # noqa: PLC0415  (only an import pays for it)

        place = self._workspace(workspace)
        if place == EVERYWHERE:
            raise InvalidInputError("workspace: * asks all projects; to write, name one or none.")
        writer = ForeignMemories(
            self._store,
            self.tenant,
            self._channel,
            self._digester,
            place,
            self.settings.personal_data,
        )
        return await in_thread(lambda: writer.keep(memories))
