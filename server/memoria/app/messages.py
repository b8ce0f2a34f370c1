"""Messages: what a client has recorded, found by its own names for it, and told no more."""

from memoria.app.arguments import Name, Text, check_arguments
from memoria.app.forgetting import Forgetting
from memoria.app.threads import in_thread
from memoria.ingest.identity import clean_id
from memoria.language.reading.clean import Tally
from memoria.model import StoredTurn, now_millis


class Messages(Forgetting):
    """One tenant's memory, as the program that records in it finds its own messages again."""

    @check_arguments
    async def find_message(self, session_id: Name, message_id: Name) -> StoredTurn | None:
        """Find the newest version of a message recorded over this channel, if there is one.

        Args:
            session_id: the conversation, in the client's own numbering.
            message_id: the message's id in the client.
        """
        session, message = (
            clean_id(given, Tally(), self._digester) for given in (session_id, message_id)
        )
        source = self._channel.source
        return await self._read(lambda tx: tx.conversations.find_turn(source, session, message))

    @check_arguments
    async def set_quote_aside(self, turn_id: Text) -> None:
        """Stop showing a quote unasked. It stays a turn that a search finds.

        Raises:
            NotFoundError: there is no such turn.
        """
        turn = (await self.get_turn(turn_id, context=0)).turn

        def mark() -> None:
            with self._store.write(self.tenant) as tx:
                tx.conversations.mark(turn.n, "aside")
                tx.audit.add(
                    at=now_millis(),
                    channel=self._channel.name,
                    client=self._channel.client,
                    action="set aside",
                    subject=turn.id,
                )

        await in_thread(mark)
