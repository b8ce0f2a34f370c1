"""Note on what goes unread, for an agent that searches: once a server, in the first answer.

Instructions and briefings say it as well, but not every client passes them on.
"""

from mcp.types import InputRequiredResult, TextContent

from memoria.app import Memoria
from memoria.surface.mcp.toolbox import Answer
from memoria.surface.unread_text import unread_word


class UnreadWord:
    """Adds a sentence to the first answer after which there is something to read."""

    def __init__(self) -> None:
        self._is_said = False

    async def add_to(self, answer: Answer, memory: Memoria) -> Answer:
        """Add to an answer what goes unread in this project, if nobody has said so before."""
        if self._is_said or isinstance(answer, InputRequiredResult) or answer.is_error:
            return answer
        word = unread_word(await memory.count_unread())
        text, *links = answer.content
        if not word or not isinstance(text, TextContent):
            return answer
        self._is_said = True
        told = TextContent(type="text", text=f"{text.text}\n\n{word}")
        return answer.model_copy(update={"content": [told, *links]})
