"""Description of a client: its files, the form of its entry, and its hooks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memoria.connectors.clients.place import ClientPlace, Scope
from memoria.connectors.clients.program import ClientProgram
from memoria.connectors.clients.syntax.choose import SyntaxName

ScopeFiles = Callable[[ClientPlace, Scope], Path | None]
"""The file of a scope; None where the client has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookWish:
    """Choice of the user for the hooks."""

    is_wanted: bool = True
    recall: bool = False
    """True if each prompt is answered with what memory has on it."""


@dataclass(frozen=True, slots=True)
class HookCall:
    """Command that a client runs at an event."""

    event: str
    line: str
    limit: int
    """Time limit, in the client's unit."""
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
    """Form in which the client wants it."""
    at: tuple[str, ...] = ("hooks",)
    switch: tuple[tuple[str, ...], bool] | None = None
    """Place in a file of the client's that switches all hooks off, and the value that does it."""
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
    """Name as it is typed."""
    title: str
    config: ScopeFiles
    entry: Callable[[ClientProgram], dict[str, Any]]
    entry_at: tuple[str, ...] = ("mcpServers", "memoria")
    other_entry_at: tuple[str, ...] = ()
    """Path of the entries if there is a container for them."""
    syntax: SyntaxName = "JSON"
    is_listed: bool = False
    may_begin_file: bool = True
    """True if a file that is not there may be made: else the client writes it when it starts."""
    hooks: HookTable | HookFiles | None = None
    rules: ScopeFiles | None = None
    """A file of Memoria's own that tells the model when to use the tools, where clients tell their
    models nothing that a server says of itself."""
    rules_head: str = ""
    """Head of such a file, so that the client reads it in every session."""
    programs: tuple[str, ...] = ()
    """Its commands, by which it is found on the machine."""
    folders: Callable[[ClientPlace], tuple[Path, ...]] = lambda _: ()
    """Its folders, by which it is found on the machine."""
    remains: Callable[[Scope], tuple[str, ...]] = lambda _: ()
    """Steps that are left to a person."""
    passes: tuple[str, ...] | None = None
    """The variables a server is started with; None where the whole environment is passed."""
