"""Reports of connect, disconnect and the status of connections, as JSON and in words."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace

import typer

from memoria.bare.home import DEFAULT_TENANT
from memoria.bare.spool import list_aside, list_waiting, read_failures
from memoria.connectors.clients.file_edit import FileEdit
from memoria.connectors.clients.installed import find_package
from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    HookTable,
    Scope,
)
from memoria.connectors.clients.rows import TOKEN, is_our_file
from memoria.connectors.clients.status import (
    ConnectionStatus,
    is_installed,
    list_connections,
    probe_connection,
)
from memoria.connectors.clients.table import find_client
from memoria.connectors.clients.wiring import ClientWiring, WiringResult
from memoria.errors import ClientError
from memoria.model import to_iso
from memoria.model.base import write_document
from memoria.surface.cli.console import Exit, show
from memoria.surface.cli.progress import show_wait
from memoria.surface.cli.times import moment
from memoria.surface.documents import Document
from memoria.surface.text import quantity

_OUTDATED_HOOKS = ("of other options or another version", "some are missing")
"""States of hooks that differ from what this version writes."""
_MOST_CHARS = 80
"""Longest part of a hook's command that is shown before somebody is asked."""
_DONE = {"create": "wrote", "change": "changed", "delete": "deleted"}


def write_connection(wiring: ClientWiring, result: WiringResult | None) -> Document:
    """Return a change of a client's files as JSON."""
    return write_document(
        client=wiring.client.name,
        scope=wiring.scope,
        is_written=result is not None,
        files=[
            {"path": str(edit.path), "action": _name_action(edit), "diff": edit.diff()}
            for edit in wiring.edits
        ],
        backups=[str(path) for path in result.backups] if result else [],
        notes=wiring.notes,
        remains=[*wiring.remains],
    )


def write_failure(client: Client, scope: Scope, error: ClientError) -> Document:
    """Return, as JSON, that a client can't be connected and why."""
    return write_document(
        client=client.name,
        scope=scope,
        is_written=False,
        **{name: [] for name in ("files", "backups", "notes", "remains")},
        problem=str(error),
    )


def write_status(status: ConnectionStatus) -> Document:
    """Return the status of a connection as JSON."""
    answer, heard = status.answer, status.last_heard_at
    return write_document(
        client=status.client.name,
        scope=status.scope,
        file=str(status.file),
        command=status.command,
        address=status.address,
        is_disabled=status.is_disabled,
        missing_program=status.missing_program,
        lacks_token=status.lacks_token,
        answers=None if answer is None else answer.problem is None,
        version=answer.version if answer else None,
        tools=len(answer.tools) if answer and not answer.problem else None,
        seconds=round(answer.seconds, 2) if answer else None,
        hooks=status.hooks,
        guards=status.guards,
        switched_off_in=str(status.switched_off_in) if status.switched_off_in else None,
        untrusted=status.untrusted,
        double=status.double,
        last_heard=None if heard is None else to_iso(heard),
        problem=find_problem(status),
    )


def find_problem(status: ConnectionStatus) -> str | None:
    """Return what is wrong with a connection or with its server's answer; None if nothing is."""
    return status.problem or (status.answer.problem if status.answer else None)


def summary_text(wiring: ClientWiring, *, connects: bool, has_hooks: bool) -> str:
    """Return sentences on what a change is for, to stand above its lines."""
    changed = sum(edit.changes for edit in wiring.edits)
    title, files = wiring.client.title, quantity(changed, "file", "files")
    if not connects:
        return (
            f"{title}: what `memoria connect` wrote is taken out of {files}, and nothing else. The "
            "change:"
        )
    hooks = ", and hooks, which tell Memoria what is said there" if has_hooks else ""
    return (
        f"{title}: its model gets tools to search and remember ({_name_server(wiring)}){hooks}.\n"
        f"{files} would change, and nothing else there; `memoria disconnect "
        f"{wiring.client.name}` takes it out again. The change:"
    )


def _name_server(wiring: ClientWiring) -> str:
    return "a server that runs on this machine" if wiring.address is None else wiring.address


def diff_lines(wiring: ClientWiring, *, shows_all: bool) -> Iterator[tuple[str, str | None]]:
    """Yield the lines of a change, each with its colour.

    Args:
        wiring: the change.
        shows_all: whether files that only Memoria writes are shown line by line, too, and the
            commands of hooks in full.
    """
    colours = {"+": "green", "-": "red", "@": "bold"}
    for edit in wiring.edits:
        if edit.is_all_ours and not shows_all:
            yield _summarise(edit), None
            continue
        for line in edit.diff():
            is_name = line.startswith(("+++", "---"))
            shown = line if shows_all or is_name else _shorten_hook(line)
            yield shown, "bold" if is_name else colours.get(line[:1])


def _shorten_hook(line: str) -> str:
    """Cut a line with the command of a hook of ours, which is as long as six others."""
    if len(line) <= _MOST_CHARS or not is_our_file(line):
        return line
    return f"{line[:_MOST_CHARS]}… (a hook; --dry-run shows it)"


def _summarise(edit: FileEdit) -> str:
    verb = "writes" if edit.before is None else "deletes"
    lines = len((edit.before or edit.after or b"").splitlines())
    return f"{verb} {edit.path} ({quantity(lines, 'line', 'lines')}; --dry-run shows it)"


def result_text(wiring: ClientWiring, result: WiringResult | None, *, connects: bool) -> str:
    """Return the outcome of a change in words."""
    title, scope = wiring.client.title, wiring.scope
    changed = [edit for edit in wiring.edits if edit.changes]
    if not changed:
        if connects:
            return f"{title} is connected already ({scope}). Nothing was changed."
        notes = [f"note: {note}" for note in wiring.notes]
        return "\n".join([f"Nothing of ours stands in {title}'s files ({scope}).", *notes])
    lines = [f"{title} is {'connected' if connects else 'disconnected'} ({scope})."]
    lines += [f"  {_DONE[_name_action(edit)]} {edit.path}" for edit in changed]
    lines += [f"  how it was before: {path}" for path in (result.backups if result else ())]
    lines += [f"  Still to do: {line}" for line in wiring.remains if connects]
    return "\n".join(lines)


def statuses_text(
    connections: Sequence[ConnectionStatus],
    packaged: Sequence[tuple[Client, str]],
    program: str | None,
    unconnected: Sequence[Client],
) -> str:
    """Return in words which clients are connected, by packages too, and which are not.

    Args:
        connections: clients whose files have Memoria.
        packaged: clients that have Memoria by a plugin or an extension alone, and by which.
        program: `memoria` on PATH, which a plugin or an extension starts.
        unconnected: other clients of this machine.
    """
    lines = [line for one in connections for line in _status_lines(one)]
    for client, package in packaged:
        lines += [f"{client.title}: through {package}.", f"  {_describe_program(program)}"]
    if unconnected:
        names = ", ".join(one.name for one in unconnected)
        lines.append(f"On this machine and not connected: {names}.")
        lines.append(f"Connect one: memoria connect {unconnected[0].name}")
    none = (
        "No client is connected, and none was found on this machine. Connect one that you know to "
        "be here by its name: memoria connect --help"
    )
    return "\n".join(lines or [none])


def _describe_program(program: str | None) -> str:
    if program:
        return f"starts {program}"
    return (
        "memoria is not on PATH: nothing is remembered. Put it there with `pipx install` or "
        "`uv tool install` (docs/guide/install.md)."
    )


def _status_lines(status: ConnectionStatus) -> Iterator[str]:
    name, title, problem = status.client.name, status.client.title, find_problem(status)
    yield f"{title} ({status.scope}): {_verdict(status)}"
    yield f"  in {status.file}"
    if status.command:
        yield f"  starts {' '.join(status.command)}"
    if status.address:
        yield f"  calls {status.address}{_tell_waiting(status)}"
    if status.missing_program:
        yield f"  {status.missing_program} is gone: run `memoria connect {name}` again."
    if status.lacks_token:
        yield (
            f"  {TOKEN}, from which {title} takes the token, is not set in this shell: a {title} "
            "that is started here is refused. Set it where the client starts."
        )
    yield from _hook_lines(status)
    if status.double:
        yield (
            f"  twice: there is {status.double}. Take out one of the two: `memoria disconnect "
            f"{name}` takes out this one."
        )
    if problem and status.answer and status.answer.cure:
        yield f"  {status.answer.cure}"
    elif problem and not status.missing_program:
        doctor = "" if status.address else "; `memoria doctor` checks the home"
        yield f"  `memoria connect {name}{_name_address(status)}` writes it anew{doctor}."
    if status.is_disabled:
        yield f"  Switch it on in {title}, or take it out: `memoria disconnect {name}`."


def _hook_lines(status: ConnectionStatus) -> Iterator[str]:
    yield f"  hooks: {status.hooks}{_last_word_of_hooks(status)}"
    if status.guards:
        yield "  A word is said with a call that failed before or was ruled out."
    if status.switched_off_in:
        yield f"  All hooks are switched off in {status.switched_off_in}: nothing is recorded."
    if status.untrusted:
        hooks = status.client.hooks
        reason = hooks.skipped if isinstance(hooks, HookTable) else ""
        yield f"  {status.client.title} skips these {reason}: {', '.join(status.untrusted)}"
    if status.hooks in _OUTDATED_HOOKS:
        name = f"{status.client.name}{_name_address(status)}"
        yield f"  `memoria connect {name}` brings them up to date."


def _name_address(status: ConnectionStatus) -> str:
    """Return the option of `connect` that names the server elsewhere; empty for one here."""
    return f" --url {status.server.url}" if status.server else ""


def _verdict(status: ConnectionStatus) -> str:
    answer = status.answer
    if problem := find_problem(status):
        return f"does not answer: {problem}" if answer and answer.problem else problem
    if status.is_disabled:
        return "wired, and switched off there"
    if answer:
        tools, seconds = len(answer.tools), round(answer.seconds, 2)
        return f"answers, version {answer.version}, {tools} tools, in {seconds} s"
    return "wired" if status.command or status.address else "wired by hooks alone"


def _tell_waiting(status: ConnectionStatus) -> str:
    """Return how much waits to be sent to a server elsewhere, and why; empty if nothing does."""
    if status.server is None:
        return ""
    folder = status.server.folder
    try:
        waiting = list_waiting(folder, DEFAULT_TENANT)
        aside = len(list_aside(folder, DEFAULT_TENANT))
        failures = read_failures(folder, DEFAULT_TENANT)
    except OSError as error:
        return f"; its folder {folder} can't be read: {error.strerror}"
    kept = f"; {quantity(aside, 'report is', 'reports are')} set aside in {folder}" if aside else ""
    if not waiting:
        return kept
    why = f": {failures[-1].get('reason')}" if failures else ""
    return f"{kept}; {quantity(len(waiting), 'report waits', 'reports wait')} to be sent{why}"


def _last_word_of_hooks(status: ConnectionStatus) -> str:
    if status.hooks in ("none", "the client has none"):
        return ""
    heard = status.last_heard_at
    return ", not heard of yet" if heard is None else f", last heard {moment(heard)}"


def _name_action(edit: FileEdit) -> str:
    if not edit.changes:
        return "leave"
    if edit.before is None:
        return "create"
    return "delete" if edit.after is None else "change"


def show_status(
    name: str | None,
    place: ClientPlace,
    program: ClientProgram,
    clients: tuple[Client, ...],
    *,
    as_json: bool,
) -> None:
    """Print what is connected, and whether it answers.

    Raises:
        Exit: a connection needs a person's hand.
    """
    wanted = [find_client(name, clients)] if name else [*clients]
    found = [one for one in list_connections(place, program, clients) if one.client in wanted]
    with show_wait("Asking what is connected"):
        probed = [replace(one, answer=probe_connection(one, place, program)) for one in found]
    left = [one for one in wanted if one not in [it.client for it in found]]
    packages = [(one, find_package(one.name, place)) for one in left]
    packaged = [(one, package) for one, package in packages if package]
    unconnected = [one for one, package in packages if not package and is_installed(one, place)]
    on_path = shutil.which("memoria", path=place.environment.get("PATH"))
    document = write_document(
        connections=list(map(write_status, probed)),
        packaged={one.name: package for one, package in packaged},
        program=on_path,
        unconnected=[one.name for one in unconnected],
    )
    show(document, statuses_text(probed, packaged, on_path, unconnected), as_json=as_json)
    has_faults = any(
        find_problem(one)
        or one.lacks_token
        or one.missing_program
        or one.untrusted
        or one.hooks in _OUTDATED_HOOKS
        for one in probed
    )
    if has_faults or (packaged and on_path is None):
        raise typer.Exit(Exit.UNSOUND)
