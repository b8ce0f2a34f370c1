"""The clients that are driven."""

from tests.e2e.clients.base import Client
from tests.e2e.clients.claude_code import ClaudeCode
from tests.e2e.clients.codex import Codex
from tests.e2e.clients.gemini import GeminiCli
from tests.e2e.clients.others import OTHERS

_ALL: tuple[Client, ...] = (ClaudeCode(), Codex(), GeminiCli(), *OTHERS)
CLIENTS = {client.name: client for client in _ALL}
"""By the name that `memoria connect` gives them."""
