"""Messages: what a client has recorded, looked up by the client's own names for it."""

from memoria.app.arguments import Name, check_arguments
from memoria.app.forgetting import Forgetting
from memoria.ingest.identity import clean_id
from memoria.model import StoredTurn
from memoria.text.clean import Tally


class Messages(Forgetting):
    """One tenant's memory, as the program that records in it finds its own messages again."""

    @check_arguments
    async def find_message(self, session_id: Name, message_id: Name) -> StoredTurn | None:
        """The newest version of a message that was recorded over this channel, if there is one.

        Args:
            session_id: the conversation, in the client's own numbering.
            message_id: the message's id in the client.
        """
        session, message = (
            clean_id(given, Tally(), self._digester) for given in (session_id, message_id)
        )
        source = self._channel.source
        return await self._read(lambda tx: tx.conversations.find_turn(source, session, message))
