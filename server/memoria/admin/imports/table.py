"""The sources there are, by name. The order is that in which a file is tried."""

from memoria.admin.imports.chatgpt import CHATGPT
from memoria.admin.imports.claude_ai import CLAUDE_AI
from memoria.admin.imports.conversations import TRANSCRIPTS

_SOURCES = (*TRANSCRIPTS, CHATGPT, CLAUDE_AI)
SOURCES = {source.name: source for source in _SOURCES}
