"""Reports of connect, disconnect and the status of connections: as JSON and in words."""

from collections.abc import Iterator
from typing import Literal

from memoria.connectors.clients.interface import Client, HookTable, Scope
from memoria.connectors.clients.status import ConnectionStatus
from memoria.connectors.clients.table import find_client
from memoria.connectors.clients.wiring import ClientWiring, FileEdit, WiringResult
from memoria.errors import ClientError
from memoria.model import parse_instant, to_iso
from memoria.model.base import Value
from memoria.surface.cli.times import moment
from memoria.surface.text import quantity


class WireFileEdit(Value):
    """Change to one file."""

    path: str
    action: Literal["create", "change", "delete", "leave"]
    diff: list[str]


class WireConnection(Value):
    """Outcome of connecting or disconnecting a client."""

    client: str
    scope: Scope
    is_written: bool
    files: list[WireFileEdit]
    backups: list[str]
    notes: list[str]
    remains: list[str]
    problem: str | None = None


class WireConnectionStatus(Value):
    """One client at one scope."""

    client: str
    scope: Scope
    file: str
    command: list[str]
    is_disabled: bool
    missing_program: str | None
    answers: bool | None
    version: str | None
    tools: int | None
    seconds: float | None
    hooks: str
    switched_off_in: str | None
    """The file in which all of the client's hooks are switched off."""
    untrusted: list[str]
    """Events whose hooks the client skips until somebody has trusted them."""
    double: str | None
    last_heard: str | None
    problem: str | None

    @property
    def is_sound(self) -> bool:
        """True if there is nothing for a person to do."""
        return not (self.problem or self.missing_program or self.untrusted or self.is_outdated)

    @property
    def is_outdated(self) -> bool:
        """True if the hooks are not those that this version writes."""
        return self.hooks in ("of other options or another version", "some are missing")


class WireStatuses(Value):
    """All that is wired, and the clients of this machine that are not."""

    connections: list[WireConnectionStatus]
    packaged: dict[str, str]
    """Clients that have Memoria by a plugin or an extension alone, and which."""
    program: str | None
    """Program that a plugin or an extension starts: `memoria` on PATH."""
    unconnected: list[str]


def wire_connection(wiring: ClientWiring, result: WiringResult | None) -> WireConnection:
    """Return the JSON of a wiring, written or not."""
    return WireConnection(
        client=wiring.client.name,
        scope=wiring.scope,
        is_written=result is not None,
        files=[
            WireFileEdit(path=str(edit.path), action=_action_of(edit), diff=edit.diff())
            for edit in wiring.edits
        ],
        backups=[str(path) for path in result.backups] if result else [],
        notes=[*wiring.notes],
        remains=[*wiring.client.remains(wiring.scope)],
    )


def wire_failure(client: Client, scope: Scope, error: ClientError) -> WireConnection:
    """Return the JSON of a client that can't be connected."""
    return WireConnection(
        client=client.name,
        scope=scope,
        is_written=False,
        files=[],
        backups=[],
        notes=[],
        remains=[],
        problem=str(error),
    )


def wire_status(status: ConnectionStatus) -> WireConnectionStatus:
    """Return the JSON of a status."""
    answer, heard = status.answer, status.last_heard_at
    return WireConnectionStatus(
        client=status.client.name,
        scope=status.scope,
        file=str(status.file),
        command=[*status.command],
        is_disabled=status.is_disabled,
        missing_program=status.missing_program,
        answers=None if answer is None else answer.problem is None,
        version=answer.version if answer else None,
        tools=len(answer.tools) if answer and not answer.problem else None,
        seconds=round(answer.seconds, 2) if answer else None,
        hooks=status.hooks,
        switched_off_in=str(status.switched_off_in) if status.switched_off_in else None,
        untrusted=[*status.untrusted],
        double=status.double,
        last_heard=None if heard is None else to_iso(heard),
        problem=status.problem or (answer.problem if answer else None),
    )


def summary_text(wiring: ClientWiring, *, connects: bool, has_hooks: bool) -> str:
    """Say in words what a change is for, before its lines are shown."""
    changed = sum(edit.changes for edit in wiring.edits)
    title, files = wiring.client.title, quantity(changed, "file", "files")
    if not connects:
        return (
            f"{title}: what `memoria connect` wrote is taken out of {files}, and nothing else. The "
            "change:"
        )
    hooks = ", and hooks, which tell Memoria what is said there" if has_hooks else ""
    return (
        f"{title}: its model gets tools to search and remember (a server that runs on this "
        f"machine){hooks}.\n{files} would change, and nothing else in them; `memoria disconnect "
        f"{wiring.client.name}` takes it out again. The change:"
    )


def diff_lines(wiring: ClientWiring, *, shows_all: bool) -> Iterator[tuple[str, str | None]]:
    """Yield the lines of the change, each with its colour.

    Args:
        wiring: the change.
        shows_all: whether a file that is ours alone is shown line by line, too.
    """
    colours = {"+": "green", "-": "red", "@": "bold"}
    for edit in wiring.edits:
        if edit.is_all_ours and not shows_all:
            yield _summarise(edit), None
            continue
        for line in edit.diff():
            is_name = line.startswith(("+++", "---"))
            yield line, "bold" if is_name else colours.get(line[:1])


def _summarise(edit: FileEdit) -> str:
    verb = "writes" if edit.before is None else "deletes"
    lines = len((edit.before or edit.after or b"").splitlines())
    return f"{verb} {edit.path} ({quantity(lines, 'line', 'lines')}; --dry-run shows it)"


def result_text(wire: WireConnection, title: str, *, connects: bool) -> str:
    """Say in words what was written."""
    if all(file.action == "leave" for file in wire.files):
        if connects:
            return f"{title} is connected already ({wire.scope}). Nothing was changed."
        return "\n".join(
            [f"Nothing of ours stands in {title}'s files ({wire.scope}).", *_note_lines(wire)]
        )
    done = {"create": "wrote", "change": "changed", "delete": "deleted"}
    lines = [f"{title} is {'connected' if connects else 'disconnected'} ({wire.scope})."]
    lines += [f"  {done[file.action]} {file.path}" for file in wire.files if file.action != "leave"]
    lines += [f"  how it was before: {path}" for path in wire.backups]
    if connects:
        lines += [f"  Still to do: {line}" for line in wire.remains]
    return "\n".join(lines)


def statuses_text(wire: WireStatuses, titles: dict[str, str]) -> str:
    """Say in words what is wired."""
    lines = [line for one in wire.connections for line in _status_lines(one, titles[one.client])]
    for name, package in wire.packaged.items():
        lines += [f"{titles[name]}: through {package}.", f"  {_describe_program(wire.program)}"]
    if wire.unconnected:
        names = ", ".join(wire.unconnected)
        lines.append(f"On this machine and not connected: {names}.")
        lines.append(f"Connect one: memoria connect {wire.unconnected[0]}")
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


def _status_lines(wire: WireConnectionStatus, title: str) -> Iterator[str]:
    yield f"{title} ({wire.scope}): {_verdict(wire)}"
    yield f"  in {wire.file}"
    if wire.command:
        yield f"  starts {' '.join(wire.command)}"
    if wire.missing_program:
        yield f"  {wire.missing_program} is gone: run `memoria connect {wire.client}` again."
    yield f"  hooks: {wire.hooks}{_last_word_of_hooks(wire)}"
    if wire.switched_off_in:
        yield f"  All hooks are switched off in {wire.switched_off_in}: nothing is recorded."
    if wire.untrusted:
        events = ", ".join(wire.untrusted)
        yield f"  {title} skips these {_reason_skipped(wire)}: {events}"
    if wire.is_outdated:
        yield f"  `memoria connect {wire.client}` brings them up to date."
    if wire.double:
        yield (
            f"  twice: there is {wire.double}. Take out one of the two: `memoria disconnect "
            f"{wire.client}` takes out this one."
        )
    if wire.problem and not wire.missing_program:
        yield f"  `memoria connect {wire.client}` writes it anew; `memoria doctor` checks the home."
    if wire.is_disabled:
        yield f"  Switch it on in {title}, or take it out: `memoria disconnect {wire.client}`."


def _reason_skipped(wire: WireConnectionStatus) -> str:
    hooks = find_client(wire.client).hooks
    return hooks.skipped if isinstance(hooks, HookTable) else ""


def _verdict(wire: WireConnectionStatus) -> str:
    if wire.problem:
        return f"does not answer: {wire.problem}" if wire.answers is False else wire.problem
    if wire.is_disabled:
        return "wired, and switched off there"
    if wire.answers:
        return f"answers, version {wire.version}, {wire.tools} tools, in {wire.seconds} s"
    return "wired by hooks alone" if not wire.command else "wired"


def _last_word_of_hooks(wire: WireConnectionStatus) -> str:
    if wire.hooks in ("none", "the client has none"):
        return ""
    if wire.last_heard:
        return f", last heard {moment(parse_instant(wire.last_heard))}"
    return ", not heard of yet"


def _note_lines(wire: WireConnection) -> list[str]:
    return [f"note: {note}" for note in wire.notes]


def _action_of(edit: FileEdit) -> Literal["create", "change", "delete", "leave"]:
    if not edit.changes:
        return "leave"
    if edit.before is None:
        return "create"
    return "delete" if edit.after is None else "change"
