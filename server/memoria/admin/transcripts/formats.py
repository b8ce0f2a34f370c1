"""The formats there are, by name."""

from memoria.admin.transcripts.claude_code import CLAUDE_CODE
from memoria.admin.transcripts.cline import CLINE
from memoria.admin.transcripts.codex import CODEX
from memoria.admin.transcripts.copilot import COPILOT
from memoria.admin.transcripts.droid import DROID
from memoria.admin.transcripts.gemini import GEMINI
from memoria.admin.transcripts.jsonl import JSONL

FORMATS = {one.name: one for one in (JSONL, CLAUDE_CODE, CODEX, GEMINI, COPILOT, CLINE, DROID)}
