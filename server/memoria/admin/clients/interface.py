"""What tells one client from another: its files, the form of its entry, and its hooks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoria.admin.clients.place import ClientPlace, Scope
from memoria.admin.clients.program import ClientProgram
from memoria.admin.clients.syntax.choose import SyntaxName

ScopeFiles = Callable[[ClientPlace, Scope], Path | None]
"""The file of a scope; None where the client has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookWish:
    """What the user chose for the hooks."""

    is_wanted: bool = True
    recall: bool = False
    """Whether each prompt is answered with what memory has on it."""


@dataclass(frozen=True, slots=True)
class HookCall:
    """When a client runs what."""

    event: str
    line: str
    limit: int
    """In the client's unit."""
    is_windows: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HookTable:
    """Hooks that stand in a file of the client's, which other hooks share."""

    file: ScopeFiles
    events: Mapping[str, int]
    """The limit of each event, in the client's unit. The first one begins a session."""
    prompt: str
    """The event of a prompt, where a recall may be asked for."""
    form: Callable[[HookCall], dict[str, Any]]
    """As the client wants it written."""
    at: tuple[str, ...] = ("hooks",)
    switch: tuple[tuple[str, ...], bool] | None = None
    """Where in a file of the client's all hooks can be switched off, and what does it there."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    find_untrusted: Callable[[Any, Path, Any], tuple[str, ...]] | None = None
    """Which events' hooks the client skips, by its user's configuration and its file of hooks."""
    skipped: str = ""
    """Until when or why it skips them, for the end of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFiles:
    """Hooks that are files of their own, which are Memoria's alone."""

    write: Callable[[ClientPlace, Scope, ClientProgram, HookWish], dict[Path, str]]
    events: tuple[str, ...]
    scopes: tuple[Scope, ...] = ("user", "project")
    grant_at: tuple[str, ...] = ()
    """Where in the client's configuration stands that it runs them; empty where it runs any."""
    grant: Mapping[str, Any] = field(default_factory=dict)
    """What stands there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A program that speaks MCP."""

    name: str
    """As it is typed."""
    title: str
    config: ScopeFiles
    entry: Callable[[ClientProgram], dict[str, Any]]
    entry_at: tuple[str, ...] = ("mcpServers", "memoria")
    other_entry_at: tuple[str, ...] = ()
    """Where entries stand if there is a container for them."""
    syntax: SyntaxName = "JSON"
    is_listed: bool = False
    may_begin_file: bool = True
    """Whether a file that is not there may be made: else the client writes it when it starts."""
    hooks: HookTable | HookFiles | None = None
    rules: ScopeFiles | None = None
    """A file of Memoria's own that tells the model when to use the tools, where clients tell their
    models nothing that a server says of itself."""
    rules_head: str = ""
    """What such a file begins with, so that the client reads it in every session."""
    programs: tuple[str, ...] = ()
    """Its commands, by which it is found on the machine."""
    folders: Callable[[ClientPlace], tuple[Path, ...]] = lambda _: ()
    """Its folders, by which it is found on the machine."""
    remains: Callable[[Scope], tuple[str, ...]] = lambda _: ()
    """What a person must still do."""
    passes: tuple[str, ...] | None = None
    """The variables a server is started with; None where the whole environment is passed."""
