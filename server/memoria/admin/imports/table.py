"""The sources there are, by name. The order is that in which a file is tried."""

from memoria.admin.imports.basic_memory import BASIC_MEMORY
from memoria.admin.imports.chatgpt import CHATGPT
from memoria.admin.imports.claude_ai import CLAUDE_AI
from memoria.admin.imports.claude_mem import CLAUDE_MEM
from memoria.admin.imports.conversations import TRANSCRIPTS
from memoria.admin.imports.cursor import CURSOR
from memoria.admin.imports.goose import GOOSE
from memoria.admin.imports.mem0 import MEM0
from memoria.admin.imports.memories_json import MEMORIES_JSON
from memoria.admin.imports.memory_service import MEMORY_SERVICE
from memoria.admin.imports.notes import NOTES, OBSIDIAN
from memoria.admin.imports.opencode import OPENCODE
from memoria.admin.imports.server_memory import SERVER_MEMORY

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
