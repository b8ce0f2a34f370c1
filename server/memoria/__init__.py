"""Memoria: long-term memory for LLM agents.

    async with memoria.open(home="~/.memoria", tenant="me") as m:
        await m.record_conversation([{"session_id": "s1", "role": "user", "content": "你好"}])
        result = await m.search_memory("how did I say hello?")

A program without `async` uses `memoria.open_sync`. With `url` and `token` in place of `home` both
reach a memory on a server over HTTP. `memoria serve` offers the same over MCP; see
README.md.

Each name is imported when it is first asked for: a hook or `memoria --help`, which import modules
below this one, pay for none of them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.app import open_memoria as open  # noqa: A004  (memoria.open reads right)
    from memoria.app.remote.memory import RemoteMemoria, open_remote
    from memoria.app.remote.sync import SyncRemoteMemoria, open_remote_sync
    from memoria.app.sync import SyncMemoria, open_sync
    from memoria.config import Settings
    from memoria.inference.chat.base import ChatReply, ChatRequest
    from memoria.model import Hit, Memory, MemoryType, Receipt, Role, SearchResult, Turn
    from memoria.policy.questions import Keep, Policy, Refuse, RefusedError, SentenceReading

__all__ = [
    "ChatReply",
    "ChatRequest",
    "Hit",
    "Keep",
    "Memoria",
    "Memory",
    "MemoryType",
    "Policy",
    "Receipt",
    "Refuse",
    "RefusedError",
    "RemoteMemoria",
    "Role",
    "SearchResult",
    "SentenceReading",
    "Settings",
    "SyncMemoria",
    "SyncRemoteMemoria",
    "Turn",
    "open",
    "open_remote",
    "open_remote_sync",
    "open_sync",
]

_HOMES = {
    "ChatReply": "memoria.inference.chat.base",
    "ChatRequest": "memoria.inference.chat.base",
    "Keep": "memoria.policy.questions",
    "Memoria": "memoria.app",
    "Policy": "memoria.policy.questions",
    "SentenceReading": "memoria.policy.questions",
    "Refuse": "memoria.policy.questions",
    "RefusedError": "memoria.policy.questions",
    "RemoteMemoria": "memoria.app.remote.memory",
    "Settings": "memoria.config",
    "SyncMemoria": "memoria.app.sync",
    "SyncRemoteMemoria": "memoria.app.remote.sync",
    "open": "memoria.app",
    "open_remote": "memoria.app.remote.memory",
    "open_remote_sync": "memoria.app.remote.sync",
    "open_sync": "memoria.app.sync",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  (only whoever asks pays for it)

    home = import_module(_HOMES.get(name, "memoria.model"))
    value: object = getattr(home, "open_memoria" if name == "open" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
