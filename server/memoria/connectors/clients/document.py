"""Text of a configuration file: our parts are written into the text, found and cut out again.

Every edit is judged: the text is read again, and what is not ours must be what it was. An edit that
fails this is not made.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memoria.connectors.clients.syntax.interface import (
    InsertedPiece,
    OccupiedError,
    Path,
    SyntaxName,
    UnreadableTextError,
    look_up,
)
from memoria.connectors.clients.syntax.json_edit import JsonSyntax, begin_document

if TYPE_CHECKING:
    from memoria.connectors.clients.syntax.toml_edit import TomlSyntax
    from memoria.connectors.clients.syntax.yaml_edit import YamlSyntax

NAME = "memoria"
"""Name of the server in every client."""
_HOOK_PROGRAM = ("surface/hook", "memoria hook")


class EditError(ValueError):
    """A text can't be edited without other changes. The message says why, to end a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedParts:
    """Parts that Memoria wants written into one file of a client."""

    syntax: SyntaxName = "JSON"
    entry_at: Path = ()
    """Path of the server's entry; empty for a file without entries."""
    entry: Mapping[str, Any] | None = None
    """Entry of the server; None if no entry is wanted."""
    is_listed: bool = False
    """True if entries are a list whose items have a `name`, and `entry_at` is the list."""
    hooks_at: Path = ()
    """Path of the lists of hooks, one for each event; empty for a file without hooks."""
    hooks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The hook of each event."""
    grant_at: Path = ()
    """Path of the permission for our hooks; empty for a client that needs none."""
    grant: Mapping[str, Any] | None = None
    """Permission for our hooks; None if no permission is wanted."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Members that the client wants at the top of such a file."""


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text, and the pieces written around our parts."""

    text: str
    pieces: tuple[InsertedPiece, ...] = ()


def is_our_hook(item: Any) -> bool:  # noqa: ANN401  (whatever stands in the list)
    """Check whether an item of a list of hooks starts our hook program."""
    match item:
        case dict():
            return any(map(is_our_hook, item.values()))
        case list():
            return any(map(is_our_hook, item))
        case str():
            plain = item.replace("\\", "/")
            return NAME in plain and any(name in plain for name in _HOOK_PROGRAM)
    return False


def is_our_entry(entry: Any) -> bool:  # noqa: ANN401  (whatever stands there)
    """Check whether an entry has the form that `connect` writes, and was not written by hand."""
    if address_in(entry):
        text = json.dumps(entry, default=str)
        return "Bearer mem_" in text or "MEMORIA_TOKEN" in text
    words = command_in(entry)
    program = words[0].replace("\\", "/") if words else ""
    return "/" in program and program.endswith(("/memoria", "/memoria.exe")) and "serve" in words


def command_in(entry: Any) -> tuple[str, ...]:  # noqa: ANN401  (whatever stands there)
    """Return the program and arguments that an entry starts; none where no program is."""
    if not isinstance(entry, dict):
        return ()
    command, arguments = entry.get("command", entry.get("cmd")), entry.get("args")
    if isinstance(command, list):
        words = command
    else:
        words = [command, *(arguments if isinstance(arguments, list) else ())]
    return tuple(map(str, words)) if command else ()


_ADDRESSES = ("url", "httpUrl", "serverUrl", "uri")


def address_in(entry: Any) -> str | None:  # noqa: ANN401  (whatever stands there)
    """Return the address at which an entry calls a server; None if it names none."""
    if not isinstance(entry, dict):
        return None
    return next((one for key in _ADDRESSES if isinstance(one := entry.get(key), str)), None)


def _is_alike(held: Any, wanted: Mapping[str, Any]) -> bool:  # noqa: ANN401  (as above)
    """Check whether both entries start a program, or both call a server."""
    if command_in(wanted):
        return bool(command_in(held))
    return address_in(held) is not None


class ConfigDocument:
    """Editor of Memoria's parts in the text of one file."""

    def __init__(self, wanted: WantedParts) -> None:
        """Create the editor of the parts that are wanted, or that were wanted before."""
        self._wanted = wanted
        self._syntax = _choose_syntax(wanted.syntax)

    def read(self, text: str) -> Any:  # noqa: ANN401  (whatever the document holds)
        """Parse a text; None for an empty text.

        Raises:
            EditError: the text is not of its syntax.
        """
        try:
            return self._syntax.parse(text)
        except UnreadableTextError as error:
            raise EditError(f"it is no {self._syntax.name}: {error}") from error

    def _read_members(self, text: str) -> dict[Any, Any]:
        """Parse a text that holds members by name.

        Raises:
            EditError: the text holds no members by name.
        """
        held = self.read(text) or {}
        if not isinstance(held, dict):
            raise EditError("it holds no settings by name")
        return held

    def entry_in(self, text: str) -> Any:  # noqa: ANN401  (whatever stands there)
        """Return the server's entry in a text, whoever wrote it; None if the text has none."""
        held = look_up(self.read(text), self._wanted.entry_at) if self._wanted.entry_at else None
        if self._wanted.is_listed:
            listed = held if isinstance(held, list) else []
            return next(filter(_is_named, listed), None)
        return held

    def hooks_in(self, text: str) -> dict[str, list[Any]]:
        """Map each event to our hooks in a text."""
        held = look_up(self.read(text), self._wanted.hooks_at) if self._wanted.hooks_at else None
        lists = held.items() if isinstance(held, dict) else ()
        ours = {
            event: [item for item in items if is_our_hook(item)]
            for event, items in lists
            if isinstance(items, list)
        }
        return {event: items for event, items in ours.items() if items}

    def connect(self, before: EditedText) -> EditedText:
        """Return the text with each wanted part once, and nothing else of Memoria's.

        Raises:
            EditError: the text can't be edited without other changes.
        """
        wanted = self._merge_entry(before.text)
        if self._holds(before.text, wanted):
            return before
        bare = self._cut(before, with_entry=True)
        try:
            edited = self._insert(bare, wanted)
        except (OccupiedError, UnreadableTextError) as error:
            raise EditError(str(error)) from error
        self._judge(before.text, edited.text)
        if not self._holds(edited.text, wanted):
            raise EditError("what was written can't be read again")
        return edited

    def disconnect(self, before: EditedText, *, with_entry: bool = True) -> EditedText:
        """Return the text without Memoria's parts.

        Raises:
            EditError: the text can't be edited without other changes.
        """
        after = self._cut(before, with_entry=with_entry)
        self._judge(before.text, after.text)
        return after

    def _merge_entry(self, text: str) -> Mapping[str, Any] | None:
        """Merge the wanted entry with what somebody has added to the present entry."""
        wanted, held = self._wanted.entry, self.entry_in(text)
        if wanted is None or not isinstance(held, dict) or not _is_alike(held, wanted):
            return wanted
        merged = {**held, **wanted}
        for key in ("env", "envs", "environment", "headers", "http_headers"):
            if key in wanted and isinstance(held.get(key), dict):
                merged[key] = {**held[key], **wanted[key]}
        if isinstance(names := held.get("env_vars"), list):
            more = [one for one in wanted.get("env_vars", ()) if one not in names]
            merged["env_vars"] = [*names, *more]
        return merged

    def _holds(self, text: str, entry: Mapping[str, Any] | None) -> bool:
        """Check whether a text has all wanted parts and nothing else of Memoria's."""
        hooks = {event: [dict(item)] for event, item in self._wanted.hooks.items()}
        grant = look_up(self.read(text), self._wanted.grant_at) if self._wanted.grant_at else None
        is_granted = grant == self._wanted.grant
        return self.entry_in(text) == entry and self.hooks_in(text) == hooks and is_granted

    def _insert(self, bare: EditedText, entry: Mapping[str, Any] | None) -> EditedText:
        text, pieces = bare.text, list(bare.pieces)
        if entry is None and not self._wanted.hooks:
            return bare
        if self.read(text) is None and self._wanted.syntax == "JSON":
            text, piece = begin_document(text)
            pieces.append(piece)
        for key, value in self._wanted.defaults.items():
            held = self.read(text)
            if not isinstance(held, dict) or key not in held:
                text, piece = self._syntax.insert_member(text, (key,), value)
                pieces.append(piece)
        if entry is not None:
            is_listed = self._wanted.is_listed
            write = self._syntax.append_item if is_listed else self._syntax.insert_member
            text, piece = write(text, self._wanted.entry_at, dict(entry))
            pieces.append(piece)
        if self._wanted.grant is not None:
            grant = dict(self._wanted.grant)
            text, piece = self._syntax.insert_member(text, self._wanted.grant_at, grant)
            pieces.append(piece)
        for event, item in self._wanted.hooks.items():
            path = (*self._wanted.hooks_at, event)
            text, piece = self._syntax.append_item(text, path, dict(item))
            pieces.append(piece)
        return EditedText(text, tuple(pieces))

    def _cut(self, before: EditedText, *, with_entry: bool) -> EditedText:
        text, pieces = before.text, before.pieces
        try:
            # The last first: what was written into an empty place frames what came behind it.
            for event in self._order_events(text, pieces):
                path = (*self._wanted.hooks_at, event)
                text = self._syntax.cut_items(text, path, is_our_hook, pieces)
                if not look_up(self.read(text), path) and self._is_made(
                    self._wanted.hooks_at, pieces
                ):
                    text = self._syntax.cut_member(text, path, pieces)
            if self._wanted.grant_at and look_up(self.read(text), self._wanted.grant_at):
                text = self._syntax.cut_member(text, self._wanted.grant_at, pieces)
            if with_entry and self._wanted.is_listed:
                text = self._syntax.cut_items(text, self._wanted.entry_at, _is_named, pieces)
            elif with_entry and self.entry_in(text) is not None:
                text = self._syntax.cut_member(text, self._wanted.entry_at, pieces)
            inner = tuple(piece for piece in pieces if piece.path)
            text = self._cut_defaults(self._syntax.cut_empty(text, inner), pieces)
            text = self._syntax.cut_empty(text, pieces)
        except (OccupiedError, UnreadableTextError) as error:
            raise EditError(str(error)) from error
        return EditedText(text, () if with_entry else pieces)

    def _order_events(self, text: str, pieces: tuple[InsertedPiece, ...]) -> list[str]:
        """List the events that have hooks of Memoria's, the last written first."""
        written = [piece.path for piece in pieces]
        found = [(*self._wanted.hooks_at, event) for event in reversed(self.hooks_in(text))]
        found.sort(key=lambda path: written.index(path) if path in written else -1, reverse=True)
        return [path[-1] for path in found]

    def _is_made(self, path: Path, pieces: tuple[InsertedPiece, ...]) -> bool:
        """Check whether the container at a path was written for us, or an outer container was."""
        return any(piece.path and piece.path == path[: len(piece.path)] for piece in pieces)

    def _cut_defaults(self, text: str, pieces: tuple[InsertedPiece, ...]) -> str:
        """Cut the members wanted at the top, unless others now use a file that Memoria made."""
        made = [key for key in self._wanted.defaults if any(one.path == (key,) for one in pieces)]
        was_ours = any(not piece.path for piece in pieces)
        if not was_ours or self._read_members(text).keys() <= set(made):
            for key in reversed(made):
                text = self._syntax.cut_member(text, (key,), pieces)
        return text

    def _judge(self, before: str, after: str) -> None:
        """Refuse an edit that changes anything but our parts, or the order of other parts."""
        events = {*self._wanted.hooks, *self.hooks_in(before)}
        try:
            is_same = self._others(before, events) == self._others(after, events)
        except EditError:
            is_same = False
        if not is_same:
            raise EditError("it is written in a way that can't be edited safely")

    def _others(self, text: str, events: set[str]) -> str:
        """Return a text's content as JSON, without our parts and without empty containers."""
        held = self._read_members(text)
        try:  # by way of JSON, so that what YAML refers to twice stands there twice
            value = json.loads(json.dumps(held, default=str))
        except ValueError as error:
            raise EditError("it refers to itself") from error
        except TypeError as error:
            raise EditError("it has a name that is no text") from error
        if self._wanted.entry_at:
            _strip_entry(value, self._wanted)
        if self._wanted.grant_at and isinstance(
            granting := look_up(value, self._wanted.grant_at[:-1]), dict
        ):
            granting.pop(self._wanted.grant_at[-1], None)
        for event in self.hooks_in(text):
            path = (*self._wanted.hooks_at, event)
            parent = look_up(value, path[:-1])
            parent[event] = [item for item in parent[event] if not is_our_hook(item)]
        for key, wanted in self._wanted.defaults.items():
            if value.get(key) == wanted:
                value.pop(key)
        room = self._wanted.entry_at if self._wanted.is_listed else self._wanted.entry_at[:-1]
        grants = self._wanted.grant_at[:-1]
        for path in (room, grants, *((*self._wanted.hooks_at, event) for event in events)):
            _prune(value, path)
        return json.dumps(value)


def _choose_syntax(name: SyntaxName) -> "JsonSyntax | TomlSyntax | YamlSyntax":
    """Return the editor of a syntax. The editors for TOML and YAML are imported when wanted."""
    if name == "TOML":
        from memoria.connectors.clients.syntax.toml_edit import TomlSyntax  # noqa: PLC0415

        return TomlSyntax()
    if name == "YAML":
        from memoria.connectors.clients.syntax.yaml_edit import YamlSyntax  # noqa: PLC0415

        return YamlSyntax()
    return JsonSyntax()


def _is_named(item: Any) -> bool:  # noqa: ANN401  (whatever stands in the list)
    return isinstance(item, dict) and item.get("name") == NAME


def _strip_entry(value: dict[str, Any], wanted: WantedParts) -> None:
    parent = look_up(value, wanted.entry_at[:-1])
    key = wanted.entry_at[-1]
    if not isinstance(parent, dict) or key not in parent:
        return
    if wanted.is_listed and isinstance(parent[key], list):
        parent[key] = [item for item in parent[key] if not _is_named(item)]
    elif not wanted.is_listed:
        parent.pop(key)


def _prune(value: dict[str, Any], path: Path) -> None:
    """Take out empty containers on the way to a path."""
    for depth in range(len(path), 0, -1):
        parent = look_up(value, path[: depth - 1])
        if isinstance(parent, dict) and parent.get(path[depth - 1]) in ({}, [], None):
            parent.pop(path[depth - 1], None)
