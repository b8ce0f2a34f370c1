"""Connection of a client: the edits of its files, shown before they are written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memoria.connectors.clients.config_file import (
    ConfigFile,
    ConnectionLedger,
    LedgerEntry,
    check_stays_inside,
    decode,
    is_in_repository,
)
from memoria.connectors.clients.document import (
    ConfigDocument,
    EditedText,
    EditError,
    WantedParts,
    is_our_entry,
)
from memoria.connectors.clients.file_edit import FileEdit
from memoria.connectors.clients.installed import find_package
from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    ClientSetup,
    HookCall,
    HookFiles,
    HookTable,
    HookWish,
    Scope,
)
from memoria.connectors.clients.rows import (
    GUARD,
    OWN_PATHS,
    RECALL,
    RECALL_FACTOR,
    TOKEN,
    is_our_file,
    write_rules,
)
from memoria.connectors.clients.syntax.interface import look_up
from memoria.errors import ClientError


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientWiring:
    """Edits that connect or disconnect a client at a scope."""

    client: Client
    scope: Scope
    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...] = ()
    address: str | None = None
    """Address of the server elsewhere that the client is connected to; None for one here."""

    @property
    def changes(self) -> bool:
        """True if any file changes."""
        return any(edit.changes for edit in self.edits)

    @property
    def remains(self) -> tuple[str, ...]:
        """Steps that are left to a person once it is written."""
        texts = (edit.after.decode("utf-8", "replace") for edit in self.edits if edit.after)
        names_programs = self.address is None or any(map(is_our_file, texts))
        steps = self.client.remains(self.scope)
        if names_programs:
            return (*self.client.hook_steps, *steps)
        return tuple(one for one in steps if one != OWN_PATHS)

    @property
    def is_current(self) -> bool:
        """True if its files are still as they were when it was drafted."""
        return all(ConfigFile(edit.path).read() == edit.before for edit in self.edits)


@dataclass(frozen=True, slots=True, kw_only=True)
class WiringResult:
    """Files that were written."""

    changed: tuple[Path, ...]
    removed: tuple[Path, ...]
    backups: tuple[Path, ...]


def draft_connection(
    client: Client, scope: Scope, place: ClientPlace, program: ClientProgram, wish: HookWish
) -> ClientWiring:
    """Draft what connecting would write.

    Raises:
        ClientError: a file can't be read or edited, or the client has none at this scope.
    """
    setup = ClientSetup(place, scope, program, wish)
    ledger, notes = ConnectionLedger(place.ledger), list[str]()
    edits = list[FileEdit]()
    if package := find_package(client.name, place):
        notes.append(f"There is {package}. It brings the same: with both, tools are listed twice.")
    if program.is_in_cache:
        notes.append(
            f"{program.command} lies in a cache that may be emptied. Install Memoria, for example "
            "with `uv tool install memoria-server`, and connect from there."
        )
    if wish.guard and not _warns(client):
        notes.append(
            f"{client.title} shows its model nothing with a tool call: --guard changes nothing."
        )
    server = program.server
    for path, wanted in list_documents(client, setup).items():
        before = ConfigFile(path).read()
        if before is None and wanted.entry is not None and not client.may_begin_file:
            raise ClientError(f"There is no {path}. Start {client.title} once: it writes it.")
        edit = _connect_document(path, wanted, before, ledger)
        edits.append(replace(edit, secret=server.token if server else ""))
        if server and wanted.entry_at and not edits[-1].holds_secret:
            notes.append(
                f"{path} may be seen by others, so no token stands in it: set {TOKEN} where "
                f"{client.title} is started."
            )
        notes += _hand_notes(path, wanted, before, ledger)
    rules = write_rules(client, scope, place)
    for path, text in own_files(client, setup).items():
        edits.append(_connect_own(path, text, is_hook=path not in rules))
    if not wish.is_wanted:
        kept = {edit.path for edit in edits}
        edits += [edit for edit in _remove_own(client, setup) if edit.path not in kept]
    return ClientWiring(
        client=client,
        scope=scope,
        edits=tuple(edits),
        notes=tuple(notes),
        address=server.url if server else None,
    )


def draft_removal(
    client: Client, scope: Scope, place: ClientPlace, program: ClientProgram, *, by_hand: bool
) -> ClientWiring:
    """Draft what disconnecting would write. An entry written by hand goes only if `by_hand`.

    Raises:
        ClientError: a file can't be read or edited, or the client has none at this scope.
    """
    setup = ClientSetup(place, scope, program)
    ledger, notes = ConnectionLedger(place.ledger), list[str]()
    edits = list[FileEdit]()
    for path, wanted in list_documents(client, setup).items():
        before = ConfigFile(path).read()
        if before is None:
            continue
        hand = _hand_notes(path, wanted, before, ledger)
        if hand and not by_hand:
            notes.append(
                f"The entry in {path} was written by hand and stays. --yes takes it out, too."
            )
        edits.append(
            _disconnect_document(path, wanted, before, ledger, with_entry=by_hand or not hand)
        )
    # The last first: the file that its folder was made for goes after those that joined it.
    edits = [*_remove_own(client, setup), *reversed(edits)]
    return ClientWiring(client=client, scope=scope, edits=tuple(edits), notes=tuple(notes))


def apply_wiring(wiring: ClientWiring, place: ClientPlace) -> WiringResult:
    """Write the edits that were shown.

    Raises:
        ClientError: a file was changed meanwhile, or can't be written.
    """
    ledger = ConnectionLedger(place.ledger)
    changed, removed, backups = list[Path](), list[Path](), list[Path]()
    for edit in wiring.edits:
        if not edit.changes:
            continue
        file = ConfigFile(edit.path)
        if file.read() != edit.before:
            raise ClientError(f"{edit.path} was changed meanwhile. Run the command once more.")
        kept = ledger.look_up(edit.path)
        if edit.after is None:
            file.remove(kept.made_folders if kept else ())
            removed.append(edit.path)
        else:
            if edit.before is not None and kept is None and not edit.is_own:
                backups += filter(None, [file.keep_backup(edit.before, edit.is_cut)])
            former = file.mode if kept is None or kept.mode is None else kept.mode
            open_mode = None if kept is None else kept.mode
            made = file.replace(edit.after, 0o600 if edit.holds_secret else open_mode)
            if edit.is_executable:
                edit.path.chmod(0o755)
            changed.append(edit.path)
            kept = kept or LedgerEntry(
                client=wiring.client.name, made_file=edit.before is None, made_folders=made
            )
            kept = replace(kept, mode=former if edit.holds_secret else None)
        is_wired = edit.after is not None and bool(edit.pieces or edit.is_own)
        ledger.write(edit.path, replace(kept, pieces=edit.pieces) if kept and is_wired else None)
        if not edit.pieces:
            file.drop_backup()
    return WiringResult(changed=tuple(changed), removed=tuple(removed), backups=tuple(backups))


def list_documents(client: Client, setup: ClientSetup) -> dict[Path, WantedParts]:
    """Map each of a client's own files to the parts that Memoria wants written into that file.

    Raises:
        ClientError: the client has no file at this scope, or a project's leads out of it.
    """
    config = client.config(setup.place, setup.scope)
    if config is None:
        raise ClientError(f"{client.title} has no configuration of a project: use --scope user.")
    table, wish = client.hooks, setup.wish
    file = table.file(setup.place, setup.scope) if isinstance(table, HookTable) else None
    if setup.scope == "project":
        for path in filter(None, (config, file)):
            check_stays_inside(path, setup.place.project)
    parts = {
        config: WantedParts(
            syntax=client.syntax,
            entry_at=_entry_place(client, config),
            entry=_write_entry(client, setup, config),
            is_listed=client.is_listed,
        )
    }
    if isinstance(table, HookFiles) and table.grant_at:
        grant = table.grant if wish.is_wanted else None
        parts[config] = replace(parts[config], grant_at=table.grant_at, grant=grant)
    if isinstance(table, HookTable) and file:
        hooks = _write_hooks(client, table, setup) if wish.is_wanted else {}
        base = parts.get(file) or WantedParts()
        parts[file] = replace(base, hooks_at=table.at, hooks=hooks, defaults=table.defaults)
    return parts


def _write_entry(client: Client, setup: ClientSetup, config: Path) -> dict[str, object]:
    """Write the entry: of a program on this machine, or of a server elsewhere.

    A file that others may see gets no token.

    Raises:
        ClientError: the client can't call such a server from this file.
    """
    server = setup.program.server
    if server is None:
        return client.entry(setup.program)
    form = client.remote
    if form is None:
        raise ClientError(
            f"{client.title} takes no server over HTTP with a token from its file. Nothing was "
            "changed."
        )
    is_shared = setup.scope == "project" or is_in_repository(ConfigFile(config).target.parent)
    if not is_shared:
        return form.write(server.mcp_url, f"Bearer {server.token}")
    if form.write_shared is None:
        raise ClientError(
            f"{config} may be seen by others, and {client.title} reads no variable there: no "
            "token is written into it. Nothing was changed; connect with --scope user."
        )
    return form.write_shared(server.mcp_url)


def own_files(client: Client, setup: ClientSetup) -> dict[Path, str]:
    """Map a client's files that are Memoria's alone to their texts: its hooks, and its rules.

    Raises:
        ClientError: a project's file leads out of the project.
    """
    files = write_rules(client, setup.scope, setup.place)
    if isinstance(client.hooks, HookFiles) and setup.wish.is_wanted:
        files |= client.hooks.write(setup)
    for path in files if setup.scope == "project" else ():
        check_stays_inside(path, setup.place.project)
    return files


def _write_hooks(
    client: Client, table: HookTable, setup: ClientSetup
) -> dict[str, dict[str, object]]:
    hooks, windows = {}, setup.place.is_windows
    warns_at = table.warns_at if setup.wish.guard else ()
    limits = {**dict.fromkeys(warns_at, table.events[table.prompt]), **table.events}
    for event, limit in limits.items():
        recall = setup.wish.recall and event == table.prompt
        flags = [RECALL] * recall + [GUARD] * (event in warns_at)
        line = setup.program.hook_line(client.name, *flags, windows=windows)
        given = limit * RECALL_FACTOR if recall else limit
        tools = "" if event in table.events else table.warned_tools
        hooks[event] = table.form(HookCall(event, line, given, windows, tools))
    return hooks


def _warns(client: Client) -> bool:
    """Check whether a client shows its model a text with a tool call."""
    hooks = client.hooks
    return bool(hooks.warns_at if isinstance(hooks, HookTable) else hooks and hooks.warns)


def _entry_place(client: Client, config: Path) -> tuple[str, ...]:
    """Return the path of the entry in a file, as some clients know two."""
    if client.other_entry_at and (content := ConfigFile(config).read()):
        _, text = decode(content, config)
        with _refusing(config):
            held = ConfigDocument(WantedParts(syntax=client.syntax)).read(text)
        if isinstance(look_up(held, client.other_entry_at[:-1]), dict):
            return client.other_entry_at
    return client.entry_at


def _connect_document(
    path: Path, wanted: WantedParts, before: bytes | None, ledger: ConnectionLedger
) -> FileEdit:
    mark, text = decode(before or b"", path)
    kept = ledger.look_up(path)
    held = EditedText(text, kept.pieces if kept else ())
    with _refusing(path, wanted):
        edited = ConfigDocument(wanted).connect(held)
    is_ours = before is None or (kept is not None and kept.made_file)
    after = None if is_ours and not edited.text else (mark + edited.text).encode()
    return FileEdit(
        path=path, before=before, after=after, pieces=edited.pieces, syntax=wanted.syntax
    )


def _disconnect_document(
    path: Path, wanted: WantedParts, before: bytes, ledger: ConnectionLedger, *, with_entry: bool
) -> FileEdit:
    mark, text = decode(before, path)
    kept = ledger.look_up(path)
    with _refusing(path):
        edited = ConfigDocument(wanted).disconnect(
            EditedText(text, kept.pieces if kept else ()), with_entry=with_entry
        )
    goes = kept is not None and kept.made_file and not edited.text
    return FileEdit(path=path, before=before, after=None if goes else (mark + edited.text).encode())


def _connect_own(path: Path, text: str, *, is_hook: bool) -> FileEdit:
    before = ConfigFile(path).read()
    if before is not None and not is_our_file(before.decode("utf-8", "replace")):
        raise ClientError(
            f"{path} is somebody else's. Nothing was changed: move it away"
            f"{', or use --no-hooks' if is_hook else ''}."
        )
    return FileEdit(
        path=path,
        before=before,
        after=text.encode(),
        is_own=True,
        is_executable=text.startswith("#!"),
    )


def _remove_own(client: Client, setup: ClientSetup) -> Iterator[FileEdit]:
    """Yield the edits that delete Memoria's own files for a client, in reverse order of writing."""
    for path in reversed(own_files(client, replace(setup, wish=HookWish()))):
        before = ConfigFile(path).read()
        if before is not None and is_our_file(before.decode("utf-8", "replace")):
            yield FileEdit(path=path, before=before, after=None)


def _hand_notes(
    path: Path, wanted: WantedParts, before: bytes | None, ledger: ConnectionLedger
) -> list[str]:
    """List a note if the entry that is there was written by hand."""
    if before is None or wanted.entry is None or ledger.look_up(path) is not None:
        return []
    with _refusing(path):
        entry = ConfigDocument(wanted).entry_in(decode(before, path)[1])
    if entry is None or is_our_entry(entry):
        return []
    return [f"{path} has an entry for memoria that was written by hand; it is replaced."]


@contextmanager
def _refusing(path: Path, wanted: WantedParts | None = None) -> Iterator[None]:
    """Turn an `EditError` into an error that names the file and what to do.

    Raises:
        ClientError: the text can't be read or edited.
    """
    try:
        yield
    except EditError as error:
        what = f"{path} can't be edited: {error}. Nothing was changed."
        cure = "Mend the file, and run the command again."
        if wanted is not None and wanted.entry_at:
            cure = (
                "Mend the file and run the command again, or put what `memoria serve --json` "
                f"prints there yourself, as `{'.'.join(wanted.entry_at)}`."
            )
        raise ClientError(f"{what} {cure}") from error
