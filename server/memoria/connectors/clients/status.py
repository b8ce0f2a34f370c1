"""State of connections: the file, the program, the program's answer and the hooks of each."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from memoria.bare.home import find_home, find_tenant
from memoria.bare.remote import RemoteServer, list_servers
from memoria.bare.spool import read_heard
from memoria.connectors.clients.config_file import ConfigFile, decode
from memoria.connectors.clients.document import (
    ConfigDocument,
    EditError,
    WantedParts,
    address_in,
    command_in,
)
from memoria.connectors.clients.elsewhere import call_elsewhere
from memoria.connectors.clients.installed import find_package
from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    ClientSetup,
    HookTable,
    HookWish,
    Scope,
)
from memoria.connectors.clients.probe import ProbeResult, probe_server, select_environment
from memoria.connectors.clients.rows import TOKEN, is_our_file, words_of
from memoria.connectors.clients.syntax.interface import SyntaxName, look_up
from memoria.connectors.clients.table import CLIENTS
from memoria.connectors.clients.wiring import list_documents, own_files
from memoria.errors import ClientError
from memoria.model import Finding

HookState = Literal["as this version writes them", "of other options or another version",
                    "some are missing", "none", "the client has none"]  # fmt: skip
WAIT_S = 30.0
"""Longest wait for a server's answer. Clients wait less."""
_ENVIRONMENTS = ("env", "envs", "environment")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionStatus:
    """State of the connection of a client at a scope."""

    client: Client
    scope: Scope
    file: Path
    command: tuple[str, ...] = ()
    """Command that the client starts; empty if the client is not connected."""
    address: str | None = None
    """Address of the server that the client calls, if it starts none."""
    server: RemoteServer | None = None
    """The server of that address, if this machine has a folder for it."""
    has_other_token: bool = False
    """True if the entry shows another token than this machine has for the server."""
    lacks_token: bool = False
    """True if the entry takes the token from a variable that is not set in this shell."""
    environment: tuple[tuple[str, str], ...] = ()
    is_disabled: bool = False
    missing_program: str | None = None
    """Program that the entry or a hook starts and that is missing."""
    hooks: HookState = "none"
    guards: bool = False
    """True if a hook says a word before a call."""
    switched_off_in: Path | None = None
    """The file in which all of the client's hooks are switched off."""
    untrusted: tuple[str, ...] = ()
    """Events whose hooks the client skips until somebody has trusted them."""
    double: str | None = None
    """Package that brings the same server and hooks."""
    problem: str | None = None
    """Reason why the file can't be read."""
    answer: ProbeResult | None = None
    last_heard_at: int | None = None
    """Time at which a hook last ran for the home that the client is connected to, UTC epoch ms."""

    @property
    def is_wired(self) -> bool:
        """True if the client has an entry or hooks of ours."""
        return bool(self.command or self.address) or self.hooks not in (
            "none",
            "the client has none",
        )


def is_installed(client: Client, place: ClientPlace) -> bool:
    """Check whether there are traces of a client on this machine."""
    programs = any(
        shutil.which(name, path=place.environment.get("PATH")) for name in client.programs
    )
    return programs or any(folder.is_dir() for folder in client.folders(place))


def list_connections(
    place: ClientPlace, program: ClientProgram, clients: Sequence[Client] = CLIENTS
) -> Iterator[ConnectionStatus]:
    """Yield the state of each client and scope with parts of ours, or with an unreadable file."""
    for client in clients:
        scopes = [one for one in get_args(Scope) if client.config(place, one) is not None]
        found = [examine_connection(client, scope, place, program) for scope in scopes]
        both = all(one.hooks not in ("none", "the client has none") for one in found)
        for status in found:
            if status.is_wired or status.problem:
                other = "the same in your own and in the project's configuration"
                is_double = both and len(found) > 1 and status.double is None
                yield replace(status, double=other) if is_double else status


def examine_connection(
    client: Client, scope: Scope, place: ClientPlace, program: ClientProgram
) -> ConnectionStatus:
    """Examine a client's files, without starting anything."""
    file = client.config(place, scope)
    if file is None:
        raise ClientError(f"{client.title} has no configuration of a project.")
    try:
        setup = ClientSetup(place, scope, program)
        entry, found, wanted = _read_parts(client, setup)
        # With the options of the entry, whatever those of this command are.
        server = _find_server(entry, found, program)
        takes_variable = address_in(entry) is not None and TOKEN in json.dumps(entry)
        shown = place.environment.get(TOKEN) if takes_variable else None
        if server is not None and shown:
            server = RemoteServer(server.folder, server.url, shown)
        options = _options_of(command_in(entry)) if entry else program.options
        if server is not None:
            program = replace(program, server=server)
            options = program.at(server).options
        guard = any(map(_has_guard, found.values()))
        wish = HookWish(recall=any(map(_has_recall, found.values())), guard=guard)
        if options != program.options or wish.recall or guard:
            program = replace(program, options=options)
            entry, found, wanted = _read_parts(client, ClientSetup(place, scope, program, wish))
        switch = _find_switch(client, scope, place)
        untrusted = _list_untrusted(client, scope, place)
    except (ClientError, EditError) as error:
        if scope == "project" and file == client.config(place, "user"):
            return ConnectionStatus(client=client, scope=scope, file=file)  # it is told of once
        return ConnectionStatus(client=client, scope=scope, file=file, problem=str(error))
    command, fields = command_in(entry), entry if isinstance(entry, dict) else {}
    variables = (fields[key] for key in _ENVIRONMENTS if isinstance(fields.get(key), dict))
    return ConnectionStatus(
        client=client,
        scope=scope,
        file=file,
        command=command,
        address=address_in(entry),
        server=server,
        lacks_token=takes_variable and not shown,
        has_other_token=server is not None and _shows_other(entry, server.token),
        environment=tuple((str(k), str(v)) for one in variables for k, v in one.items()),
        is_disabled=fields.get("disabled") is True or fields.get("enabled") is False,
        missing_program=_find_missing(command, found, place),
        hooks=_hook_state(client, found, wanted),
        guards=guard,
        switched_off_in=switch if found else None,
        untrusted=untrusted,
        double=find_package(client.name, place),
        last_heard_at=_read_last_heard(client, command or program.options, program)
        if found
        else None,
    )


def check_clients(place: ClientPlace, program: ClientProgram) -> Finding:
    """Report whether the programs that clients of this machine start exist. Nothing is started."""
    found = list(list_connections(place, program))
    unread = [f"{one.client.title}: {one.problem}" for one in found if one.problem]
    lost = [one for one in found if one.missing_program]
    if not lost and not unread:
        names = ", ".join(dict.fromkeys(one.client.title for one in found if one.is_wired))
        detail = f"connected: {names}" if names else "no client is connected here"
        return Finding(check="clients", state="ok", detail=detail)
    gone = [f"{one.client.title} starts {one.missing_program}, which is gone" for one in lost]
    return Finding(
        check="clients",
        state="warning",
        detail="; ".join((*unread, *gone)),
        cure=_cure_of(lost[0]) if lost else "Mend the file, and run memoria connect --status.",
    )


def _cure_of(lost: ConnectionStatus) -> str:
    scope = "" if lost.scope == "user" else " --scope project"
    return f"memoria connect {lost.client.name}{scope}"


def probe_connection(
    status: ConnectionStatus, place: ClientPlace, program: ClientProgram
) -> ProbeResult | None:
    """Start a connected server as the client would; return None where no server is connected.

    What a project's file names is started only if it is this very installation: whoever clones a
    project has agreed to nothing that it names.
    """
    if status.address is not None:
        return _call_server(status)
    if not status.command:
        return None
    if status.scope == "project" and not _is_of_this(status, program):
        return ProbeResult(
            problem=f"it is not started: {status.file} comes with the project and names another "
            "program, or one with variables. Connect the project yourself: memoria connect "
            f"{status.client.name} --scope project"
        )
    own = {
        name: place.environment.get(value[1:], "") if value.startswith("$") else value
        for name, value in status.environment
    }
    environment = select_environment(status.client.passes, own)
    return probe_server(status.command, environment, place.project, WAIT_S)


def _call_server(status: ConnectionStatus) -> ProbeResult:
    """Call a server elsewhere with the token that this machine has for it."""
    if status.server is None:
        return ProbeResult(
            problem=f"this machine has no token for {status.address}: run `memoria connect "
            f"{status.client.name} --url {status.address}` again"
        )
    if status.has_other_token:
        return ProbeResult(problem="its file shows another token than this machine has")
    return call_elsewhere(status.server, status.client.name, WAIT_S)


def _shows_other(entry: Any, token: str) -> bool:  # noqa: ANN401  (whatever stands there)
    """Check whether an entry shows a token that is not the given one."""
    text = json.dumps(entry)
    return "Bearer mem_" in text and f'Bearer {token}"' not in text


def _find_server(
    entry: Any,  # noqa: ANN401  (whatever stands there)
    hooks: Mapping[str, Any],
    program: ClientProgram,
) -> RemoteServer | None:
    """Return the server elsewhere that an entry calls; of several tenants', the hooks' one.

    Without an entry it is the one that hooks alone name.
    """
    address = address_in(entry)
    servers = list_servers(find_home(_option(program.options, "--home")))
    called = [one for one in servers if address in (one.url, one.mcp_url)]
    among = servers if entry is None else called
    heard = [one for one in among if Path(one.folder).name in json.dumps(hooks)]
    return next(iter(heard or called), None)


def _is_of_this(status: ConnectionStatus, program: ClientProgram) -> bool:
    """Check whether this installation is started, with nothing but what `connect` gives it."""
    start, *words = status.command
    options, served = words[:-1], words[-1:] == ["serve"]
    is_known = {*options[::2]} <= {"--home", "--tenant", "--workspace"}
    passes_on = all(value == f"${name}" for name, value in status.environment)
    return start == program.command and served and is_known and passes_on


def _read_parts(client: Client, setup: ClientSetup) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return the entry, our present hooks, and the hooks as this version writes them."""
    entry: Any = None
    found, wanted = dict[str, Any](), dict[str, Any]()
    others = _list_files_of_user(client, setup)
    for path, parts in list_documents(client, setup).items():
        wanted |= parts.hooks
        content = None if path in others else ConfigFile(path).read()
        if content is None:
            continue
        text, document = decode(content, path)[1], ConfigDocument(parts)
        try:
            entry = document.entry_in(text) if parts.entry is not None else entry
            found |= {event: items[0] for event, items in document.hooks_in(text).items()}
        except EditError as error:
            raise ClientError(f"{path} can't be read: {error}.") from error
    for path, text in own_files(client, setup).items():
        content = None if path in others else ConfigFile(path).read()
        wanted[str(path)] = text
        if content is not None and is_our_file(content.decode("utf-8", "replace")):
            found[str(path)] = content.decode("utf-8", "replace")
    return entry, found, wanted


def _list_files_of_user(client: Client, setup: ClientSetup) -> set[Path]:
    """List the files of a project that are the user's own, too, as in the user's home folder."""
    if setup.scope == "user":
        return set()
    config, table = client.config(setup.place, "user"), client.hooks
    hooks = table.file(setup.place, "user") if isinstance(table, HookTable) else None
    own = own_files(client, replace(setup, scope="user"))
    return {*filter(None, (config, hooks)), *own}


def _find_switch(client: Client, scope: Scope, place: ClientPlace) -> Path | None:
    """Return the file that switches all hooks of a client off; None if none does."""
    table = client.hooks
    if not isinstance(table, HookTable) or table.switch is None:
        return None
    where, off = table.switch
    for path in filter(None, (client.config(place, scope), table.file(place, scope))):
        syntax = client.syntax if path == client.config(place, scope) else "JSON"
        if look_up(_read_whole(path, syntax), where) is off:
            return path
    return None


def _list_untrusted(client: Client, scope: Scope, place: ClientPlace) -> tuple[str, ...]:
    """List the events whose hooks of ours a client skips, whatever stands in its file."""
    table = client.hooks
    file = table.file(place, scope) if isinstance(table, HookTable) else None
    config = client.config(place, "user")
    if not isinstance(table, HookTable) or not table.find_untrusted or not (file and config):
        return ()
    hooks = look_up(_read_whole(file, client.syntax if file == config else "JSON"), table.at)
    return table.find_untrusted(_read_whole(config, client.syntax), file, hooks)


def _read_whole(path: Path, syntax: SyntaxName) -> Any:  # noqa: ANN401  (whatever it holds)
    text = decode(ConfigFile(path).read() or b"", path)[1]
    return ConfigDocument(WantedParts(syntax=syntax)).read(text)


def _options_of(command: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options before `serve` in a command."""
    return command[1 : command.index("serve")] if "serve" in command[1:] else ()


def _read_last_heard(
    client: Client, command: tuple[str, ...], program: ClientProgram
) -> int | None:
    """Return when a hook last ran, in the home that the client is wired to."""
    words = command or program.options
    named = _option(words, "--tenant")
    home, tenant = find_home(_option(words, "--home"), named), find_tenant(named)
    try:
        return read_heard(home, tenant).get(client.name)
    except OSError:
        return None


def _option(words: tuple[str, ...], name: str) -> str | None:
    return words[words.index(name) + 1] if name in words[:-1] else None


def _hook_state(client: Client, found: dict[str, Any], wanted: dict[str, Any]) -> HookState:
    if client.hooks is None:
        return "the client has none"
    if not found:
        return "none"
    if found.keys() < wanted.keys():
        return "some are missing"
    agrees = all(found.get(key) == wanted[key] for key in wanted)
    return "as this version writes them" if agrees else "of other options or another version"


def _has_recall(hook: Any) -> bool:  # noqa: ANN401  (a hook in any form)
    text = hook if isinstance(hook, str) else json.dumps(hook)
    return " --recall" in text or "RECALL = true" in text


def _has_guard(hook: Any) -> bool:  # noqa: ANN401  (a hook in any form)
    text = hook if isinstance(hook, str) else json.dumps(hook)
    return " --guard" in text or "GUARD = true" in text


def _find_missing(
    command: tuple[str, ...], found: dict[str, Any], place: ClientPlace
) -> str | None:
    programs = [command[0]] if command else []
    for hook in found.values():
        line = next(iter(_lines_of(hook)), "")
        programs += [word for word in words_of(line)[:6] if "/" in word]
    for one in programs:
        if shutil.which(one, path=place.environment.get("PATH")) is None and not Path(one).exists():
            return one
    return None


def _lines_of(hook: Any) -> Iterator[str]:  # noqa: ANN401  (a hook in any form)
    match hook:
        case {"command": str(line)} | {"powershell": str(line)}:
            yield line
        case {"hooks": list(inner)}:
            for one in inner:
                yield from _lines_of(one)
