"""Description of a client: its files, the form of its entry, its hooks, and what it is to start.

A client is told by its configuration file how to start an MCP server. Its description says where
that file is and what stands in it for Memoria; the change, the question, the way back byte for byte
and `connect --status` follow from that. Nothing of a description writes a file by itself.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from memoria.bare.home import DEFAULT_TENANT, find_home, find_tenant, home_below
from memoria.bare.remote import RemoteServer
from memoria.config import Settings
from memoria.connectors.clients.syntax.interface import SyntaxName
from memoria.errors import ClientError
from memoria.settings_file import is_secret, list_key_variables

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPlace:
    """User, machine and project whose clients are connected."""

    home: Path
    project: Path
    """The folder that holds `.git`, from here upwards; without one, the folder here."""
    environment: Mapping[str, str]
    platform: str
    """Platform as `sys.platform` has it."""

    @classmethod
    def here(cls) -> Self:
        """Return the place of the present user, in the present folder.

        Raises:
            ClientError: nobody knows which folder is the user's.
        """
        try:
            home = Path.home()
        except RuntimeError as error:
            raise ClientError("This user has no home folder: HOME is not set.") from error
        folder = Path.cwd()
        project = next(
            (one for one in (folder, *folder.parents) if (one / ".git").exists()), folder
        )
        return cls(home=home, project=project, environment=os.environ, platform=sys.platform)

    def folder(self, variable: str, *default: str) -> Path:
        """Return the folder that a variable of the environment names, or else a default."""
        given = self.environment.get(variable)
        return Path(given).expanduser() if given else self.home.joinpath(*default)

    @property
    def is_windows(self) -> bool:
        """True if paths and shells are those of Windows."""
        return self.platform == "win32"

    @property
    def dot_config(self) -> Path:
        """Folder of command line programs' settings."""
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def app_data(self) -> Path:
        """Folder of settings of programs with windows."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.is_windows:
            return self.folder("APPDATA", "AppData", "Roaming")
        return self.dot_config

    @property
    def ledger(self) -> Path:
        """File that lists what was written into other programs' files.

        It belongs to the user on this machine and not to a home, which may move or go.
        """
        if self.platform == "darwin":
            folder = self.app_data / "memoria"
        elif self.is_windows:
            folder = self.folder("LOCALAPPDATA", "AppData", "Local") / "memoria"
        else:
            folder = self.folder("XDG_STATE_HOME", ".local", "state") / "memoria"
        return folder / "connections.json"


_IF_THERE = (
    "import os, sys; f = sys.argv.pop(1); "
    "os.path.exists(f) and exec(open(f).read(), dict(__file__=f))"
)
"""Starter of a program that may be gone. Python ends with 2 without the script, and to clients 2
means that a hook forbids what it was asked about: without Memoria no prompt would pass."""
_OPTIONS = ("HOME", "HOMES", "TENANT", "WORKSPACE")
"""Settings given as options of the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientProgram:
    """Program that a client starts, with the options that lead to one home and tenant."""

    command: str
    """The console script, in full."""
    python: str
    hook_script: str
    options: tuple[str, ...] = ()
    plain_variables: tuple[str, ...] = ()
    """Names of the settings that are set in this shell, but for keys."""
    key_variables: tuple[str, ...] = ()
    """Names of the keys that are set in this shell."""
    server: RemoteServer | None = None
    """Server elsewhere that the client calls, in place of a program that it starts."""

    @classmethod
    def here(
        cls,
        home: str | None,
        tenant: str | None,
        workspace: str | None,
        environment: Mapping[str, str] = os.environ,
    ) -> Self:
        """Return the program of the present installation.

        A home or tenant that only the environment names is given as an option, too: a client is
        started elsewhere and sees another environment.
        """
        tenant = tenant or environment.get("MEMORIA_TENANT")
        if homes := environment.get("MEMORIA_HOMES"):
            home = home or home_below(homes, find_tenant(tenant))
        home = home or environment.get("MEMORIA_HOME")
        given = {
            "--home": str(Path(home).expanduser().absolute()) if home else None,
            "--tenant": tenant,
            "--workspace": workspace,
        }
        options = [word for name, value in given.items() if value for word in (name, value)]
        names = {f"MEMORIA_{name.upper()}": name for name in Settings.model_fields}
        seen = [name for name in names if environment.get(name)]
        keys = tuple(name for name in seen if is_secret(Settings, names[name]))
        of_file = list_key_variables(find_home(home, tenant), Settings)
        return cls(
            command=find_program(),
            python=sys.executable,
            hook_script=str(Path(__file__).parents[2] / "surface" / "hook" / "__main__.py"),
            options=tuple(options),
            plain_variables=tuple(
                one for one in seen if one not in keys and one[8:] not in _OPTIONS
            ),
            key_variables=(*keys, *filter(environment.get, of_file)),
        )

    def at(self, server: RemoteServer) -> Self:
        """Return the same program for a server elsewhere: its hooks lay into that one's folder."""
        named = ("--home", server.folder, "--tenant", DEFAULT_TENANT)
        place = self.options.index("--workspace") if "--workspace" in self.options else None
        workspace = () if place is None else self.options[place : place + 2]
        return replace(self, options=(*named, *workspace), server=server)

    @property
    def is_in_cache(self) -> bool:
        """True if `uvx` made the installation for a while."""
        folders = Path(self.command).parts
        return any(part.startswith("archive-v") for part in folders) and "uv" in folders

    @property
    def arguments(self) -> list[str]:
        """Arguments of the console script to serve."""
        return [*self.options, "serve"]

    def hook_words(self, client: str, *flags: str, event: str = "") -> list[str]:
        """Return the words that start a client's hook program."""
        start = [self.python, "-I", "-S", "-c", _IF_THERE, self.hook_script, client, *self.options]
        return [*start, *(["--event", event] if event else []), *flags]

    def hook_line(self, client: str, *flags: str, windows: bool, event: str = "") -> str:
        """Return the line with which a shell starts a client's hook program."""
        words = self.hook_words(client, *flags, event=event)
        if not windows:
            return shlex.join(words)
        # Slashes, as some clients hand the line to Git's bash, some to cmd, some to PowerShell.
        # Not tried on Windows: a path with a blank in it is quoted, which PowerShell takes for a
        # text and not for a program.
        return " ".join(_quote_for_windows(word.replace("\\", "/")) for word in words)


def find_program() -> str:
    """Find the console script of this installation."""
    beside = shutil.which("memoria", path=str(Path(sys.executable).parent))
    return beside or shutil.which("memoria") or "memoria"


def _quote_for_windows(word: str) -> str:
    return word if word and not set(word) & set(" \t&()^;'`$%!") else f'"{word}"'


ScopeFiles = Callable[[ClientPlace, Scope], Path | None]
"""Finder of a scope's file; None where the client has no such file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookWish:
    """Choice of the user for the hooks."""

    is_wanted: bool = True
    recall: bool = False
    """True if each prompt is answered with what memory has on it."""
    guard: bool = False
    """True if a word is said before a call that failed before, or that the user ruled out."""


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """Scope and place of a client's files, the program that they start, and the user's wish."""

    place: ClientPlace
    scope: Scope
    program: ClientProgram
    wish: HookWish = field(default_factory=HookWish)


@dataclass(frozen=True, slots=True)
class HookCall:
    """Command that a client runs at an event."""

    event: str
    line: str
    limit: int
    """Time limit, in the client's unit."""
    is_windows: bool = False
    tools: str = ""
    """Names of the tools before which the event is told, as the client matches them; empty for an
    event that is no tool's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookTable:
    """Hooks that stand in a file of the client's, which other hooks share."""

    file: ScopeFiles
    events: Mapping[str, int]
    """The limit of each event, in the client's unit. The first one begins a session."""
    prompt: str
    """Event of a prompt, at which a recall may be asked for."""
    form: Callable[[HookCall], dict[str, Any]]
    """Writer of a hook in the client's form."""
    warns_at: tuple[str, ...] = ()
    """Events of a tool call at which the client shows the model a text."""
    warned_tools: str = ""
    """Names of the tools for which such an event is told, if it is none of `events`."""
    at: tuple[str, ...] = ("hooks",)
    switch: tuple[tuple[str, ...], bool] | None = None
    """Place in a file of the client's that switches all hooks off, and the value that does it."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    find_untrusted: Callable[[Any, Path, Any], tuple[str, ...]] | None = None
    """Lister of events whose hooks are skipped, from configuration, file and its hooks."""
    skipped: str = ""
    """Reason why the client skips hooks, as the end of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFiles:
    """Hooks that are files of their own, which are Memoria's alone."""

    write: Callable[[ClientSetup], dict[Path, str]]
    scopes: tuple[Scope, ...] = ("user", "project")
    warns: bool = False
    """True if the client shows the model a text with a tool call."""
    grant_at: tuple[str, ...] = ()
    """Path of the permission for our hooks in the configuration; empty if none is needed."""
    grant: Mapping[str, Any] = field(default_factory=dict)
    """Permission for our hooks."""


@dataclass(frozen=True, slots=True)
class RemoteForm:
    """Entry of a client for a server that is reached over HTTP with a token."""

    write: Callable[[str, str], dict[str, Any]]
    """Writer of the entry, from the address and the value of the header `Authorization`."""
    write_shared: Callable[[str], dict[str, Any]] | None = None
    """Writer of an entry that names the variable `MEMORIA_TOKEN` in place of a token, for files
    that others may see; None where the client reads no variables there."""


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
    """Finder of the file that lists its servers, the user's or the project's. It may be missing."""
    entry: Callable[[ClientProgram], dict[str, Any]]
    """Write the value that starts our server, in the client's form: mostly
    `{"command": program.command, "args": program.arguments}`."""
    remote: RemoteForm | None = None
    """Form of the entry for a server elsewhere; None where the client takes no token."""
    entry_at: tuple[str, ...] = ("mcpServers", "memoria")
    """Keys that lead to the entry in the file."""
    other_entry_at: tuple[str, ...] = ()
    """Path of the entries if there is a container for them."""
    syntax: SyntaxName = "JSON"
    """Form of the file; in JSON, comments and trailing commas are kept."""
    is_listed: bool = False
    """True if the entries stand in a list, each with its name, and not under their names."""
    may_begin_file: bool = True
    """True if a missing file may be made; else the client writes the file when it starts."""
    hooks: HookTable | HookFiles | None = None
    rules: ScopeFiles | None = None
    """A file of Memoria's own that tells the model when to use the tools, where clients tell their
    models nothing that a server says of itself."""
    rules_head: str = ""
    """Head of such a file, so that the client reads it in every session."""
    programs: tuple[str, ...] = ()
    """Commands of the client, by which it is found on the machine."""
    folders: Callable[[ClientPlace], tuple[Path, ...]] = lambda _: ()
    """Folders of the client, by which it is found on the machine."""
    remains: Callable[[Scope], tuple[str, ...]] = lambda _: ()
    """Steps that are left to a person."""
    hook_steps: tuple[str, ...] = ()
    """Further steps, where it gets hooks."""
    passes: tuple[str, ...] | None = None
    """Variables that the client passes to a server; None for the whole environment."""
