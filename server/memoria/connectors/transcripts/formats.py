"""All formats of transcripts, by name."""

from memoria.connectors.transcripts.claude_code import CLAUDE_CODE
from memoria.connectors.transcripts.cline import CLINE
from memoria.connectors.transcripts.codex import CODEX
from memoria.connectors.transcripts.event_logs import COPILOT, DROID
from memoria.connectors.transcripts.gemini import GEMINI
from memoria.connectors.transcripts.jsonl import JSONL

FORMATS = {one.name: one for one in (JSONL, CLAUDE_CODE, CODEX, GEMINI, COPILOT, CLINE, DROID)}
