"""The sources there are, by name. The order is that in which a file is tried."""

from memoria.connectors.sources.basic_memory import BASIC_MEMORY
from memoria.connectors.sources.chatgpt import CHATGPT
from memoria.connectors.sources.claude_ai import CLAUDE_AI
from memoria.connectors.sources.claude_mem import CLAUDE_MEM
from memoria.connectors.sources.conversations import TRANSCRIPTS
from memoria.connectors.sources.cursor import CURSOR
from memoria.connectors.sources.goose import GOOSE
from memoria.connectors.sources.mem0 import MEM0
from memoria.connectors.sources.memories_json import MEMORIES_JSON
from memoria.connectors.sources.memory_service import MEMORY_SERVICE
from memoria.connectors.sources.notes import NOTES, OBSIDIAN
from memoria.connectors.sources.opencode import OPENCODE
from memoria.connectors.sources.server_memory import SERVER_MEMORY

_SOURCES = (
    *TRANSCRIPTS,
    CURSOR,
    OPENCODE,
    GOOSE,
    CHATGPT,
    CLAUDE_AI,
    SERVER_MEMORY,
    MEM0,
    MEMORY_SERVICE,
    CLAUDE_MEM,
    MEMORIES_JSON,
    BASIC_MEMORY,
    OBSIDIAN,
    NOTES,
)
SOURCES = {source.name: source for source in _SOURCES}
