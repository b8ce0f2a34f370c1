"""A sample of what each program leaves, as faithful as its format is known.

All people and words are made up for these tests.
"""

from tests.connectors.sources.samples.base import Sample, replace_in_zip, replace_text, spoil_row
from tests.connectors.sources.samples.chats import (
    write_chatgpt,
    write_chatgpt_json,
    write_claude_ai,
    write_claude_json,
)
from tests.connectors.sources.samples.clients import (
    damage_part,
    write_cursor,
    write_cursor_transcript,
    write_goose,
    write_goose_lines,
    write_opencode,
    write_opencode_both,
    write_opencode_files,
    write_opencode_two,
)
from tests.connectors.sources.samples.notes import (
    damage_encoding,
    damage_front_matter,
    write_basic_memory,
    write_notes,
    write_obsidian,
)
from tests.connectors.sources.samples.servers import (
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
    Sample(
        "chatgpt",
        write_chatgpt,
        5,
        1,
        replace_in_zip("conversations-000.json", '"create_time": 17', '"create_time" 17'),
        lost=4,
    ),
    Sample(
        "chatgpt",
        write_chatgpt_json,
        5,
        1,
        replace_text('"title": "A chat", "create_time"', '"title": "A chat" "create_time"'),
        lost=4,
    ),
    Sample(
        "claude-ai",
        write_claude_ai,
        6,
        2,
        replace_in_zip("conversations.json", '"name": ""', '"name": "" oops'),
    ),
    Sample("claude-ai", write_claude_json, 6, 0, replace_text('"name": ""', '"name": "" oops')),
    Sample(
        "server-memory",
        write_server_memory,
        0,
        6,
        replace_text('"observations": ["把', '"observations": "把'),
        sayings=(
            "raspberry canes on the allotment",
            "把羽毛球拍借给了老周",
            "林岚 is a friend of 老周",
        ),
    ),
    Sample("mem0", write_mem0, 0, 3, replace_text('"memory": "Likes', '"memoir": "Likes')),
    Sample(
        "mem0",
        write_openmemory_export,
        0,
        2,
        replace_in_zip("memories.json", '"content": "林岚', '"contend": "林岚'),
    ),
    Sample(
        "mem0",
        write_openmemory_database,
        0,
        2,
        spoil_row("UPDATE memories SET content = '' WHERE id = '2'"),
    ),
    Sample(
        "mem0",
        write_mem0_history,
        0,
        2,
        spoil_row("UPDATE history SET new_memory = NULL WHERE id = 'e3'"),
    ),
    Sample(
        "mcp-memory-service",
        write_memory_service,
        0,
        3,
        replace_text('{"content": "Use rg"', '{"contents": "Use rg"'),
    ),
    Sample(
        "mcp-memory-service",
        write_memory_service_database,
        0,
        2,
        spoil_row("UPDATE memories SET content = '' WHERE id = 2"),
    ),
    Sample(
        "goose",
        write_goose,
        4,
        0,
        spoil_row("UPDATE messages SET content_json = '[{oops' WHERE session_id = '20260101_2'"),
    ),
    Sample("goose", write_goose_lines, 3, 0, replace_text('"content": [', '"content": "')),
    Sample(
        "opencode",
        write_opencode,
        5,
        0,
        spoil_row("UPDATE part SET data = '{oops' WHERE message_id = 'msg_3'"),
    ),
    Sample("opencode", write_opencode_files, 5, 0, damage_part),
    Sample(
        "opencode",
        write_opencode_two,
        5,
        0,
        spoil_row("UPDATE session_message SET data = '{oops' WHERE id = 'msg_ses_2_5'"),
    ),
    Sample(
        "opencode",
        write_opencode_both,
        10,
        0,
        spoil_row("UPDATE session_message SET data = '{oops' WHERE id = 'msg_ses_2_5'"),
    ),
    Sample(
        "cursor",
        write_cursor,
        4,
        0,
        spoil_row("UPDATE cursorDiskKV SET value = '{oops' WHERE key = 'bubbleId:c1:b4'"),
    ),
    Sample("cursor", write_cursor_transcript, 4, 0, replace_text('{"role": "user"', "{")),
    Sample("claude-mem", write_claude_mem, 3, 3, damage_facts),
    Sample(
        "memories-json",
        write_memories_json,
        0,
        3,
        replace_text('"content": "Always', '"contend": "Always'),
    ),
    Sample("basic-memory", write_basic_memory, 2, 4, damage_front_matter, lost=0),
    Sample("obsidian", write_obsidian, 2, 0, damage_front_matter, lost=0),
    Sample("notes", write_notes, 2, 0, damage_encoding),
)
