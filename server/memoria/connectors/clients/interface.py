"""Description of a client: its files, the form of its entry, and its hooks.

A client is told by its configuration file how to start an MCP server. Its description says where
that file is and what stands in it for Memoria; the change, the question, the way back byte for byte
and `connect --status` follow from that. Nothing of a description writes a file by itself.
"""

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
    """A program that speaks MCP.

    The first four fields are needed. A package of your own offers it as an entry point of the group
    `memoria.clients`; leave out its `hooks`, as the hook program knows the events of our clients
    alone.
    """

    name: str
    """Name as it is typed: lower case, with hyphens."""
    title: str
    """Name that people use."""
    config: ScopeFiles
    """The file that lists its servers: the user's, or the project's; it need not be there yet."""
    entry: Callable[[ClientProgram], dict[str, Any]]
    """Write the value that starts our server, in the client's form: mostly
    `{"command": program.command, "args": program.arguments}`."""
    entry_at: tuple[str, ...] = ("mcpServers", "memoria")
    """Keys that lead to the entry in the file."""
    other_entry_at: tuple[str, ...] = ()
    """Path of the entries if there is a container for them."""
    syntax: SyntaxName = "JSON"
    """Form of the file; in JSON, comments and trailing commas are kept."""
    is_listed: bool = False
    """True if the entries stand in a list, each with its name, and not under their names."""
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
