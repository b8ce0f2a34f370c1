"""A sample of what each program leaves, as faithful as its format is known.

All people and words are made up for these tests.
"""

from tests.admin.imports.samples.base import Sample, replace_text
from tests.admin.imports.samples.chats import (
    write_chatgpt,
    write_chatgpt_json,
    write_claude_ai,
    write_claude_json,
)
from tests.admin.imports.samples.clients import (
    damage_part,
    write_cursor,
    write_cursor_transcript,
    write_goose,
    write_goose_lines,
    write_opencode,
    write_opencode_files,
)
from tests.admin.imports.samples.notes import (
    damage_encoding,
    write_basic_memory,
    write_notes,
    write_obsidian,
)
from tests.admin.imports.samples.servers import (
    damage_facts,
    write_claude_mem,
    write_mem0,
    write_mem0_history,
    write_memories_json,
    write_memory_service,
    write_memory_service_database,
    write_openmemory_database,
    write_openmemory_export,
    write_server_memory,
)

SAMPLES = (
    Sample("chatgpt", write_chatgpt, turns=5, memories=1),
    Sample(
        "chatgpt",
        write_chatgpt_json,
        turns=5,
        memories=1,
        damage=replace_text('"title": "A chat", "create_time"', '"title": "A chat" "create_time"'),
        lost=4,
    ),
    Sample("claude-ai", write_claude_ai, turns=6, memories=2),
    Sample(
        "claude-ai",
        write_claude_json,
        turns=6,
        damage=replace_text('"name": ""', '"name": "" oops'),
    ),
    Sample(
        "server-memory",
        write_server_memory,
        turns=0,
        memories=6,
        sayings=(
            "raspberry canes on the allotment",
            "把羽毛球拍借给了老周",
            "林岚 is a friend of 老周",
        ),
        damage=replace_text('"observations": ["把', '"observations": "把'),
    ),
    Sample("mem0", write_mem0, 0, 3, damage=replace_text('"memory": "Likes', '"memoir": "Likes')),
    Sample("mem0", write_openmemory_export, 0, 2),
    Sample("mem0", write_openmemory_database, 0, 2),
    Sample("mem0", write_mem0_history, 0, 2),
    Sample(
        "mcp-memory-service",
        write_memory_service,
        turns=0,
        memories=3,
        damage=replace_text('{"content": "Use rg"', '{"contents": "Use rg"'),
    ),
    Sample("mcp-memory-service", write_memory_service_database, 0, 2),
    Sample("goose", write_goose, turns=4),
    Sample(
        "goose", write_goose_lines, turns=3, damage=replace_text('"content": [', '"content": "')
    ),
    Sample("opencode", write_opencode, turns=5),
    Sample("opencode", write_opencode_files, turns=5, damage=damage_part),
    Sample("cursor", write_cursor, turns=4),
    Sample("cursor", write_cursor_transcript, turns=4, damage=replace_text('{"role": "user"', "{")),
    Sample("claude-mem", write_claude_mem, turns=3, memories=3, damage=damage_facts),
    Sample(
        "memories-json",
        write_memories_json,
        turns=0,
        memories=3,
        damage=replace_text('"content": "Always', '"contend": "Always'),
    ),
    Sample("basic-memory", write_basic_memory, turns=2, memories=4),
    Sample("obsidian", write_obsidian, turns=2),
    Sample("notes", write_notes, turns=2, damage=damage_encoding),
)
