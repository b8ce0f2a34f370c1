"""Values read from REST's documents, each with the fields that its document carries.

A field that a document does not carry is left out: whoever asks for it gets an `AttributeError`.
`tests/surface/http/remote/test_values.py` compares every field with the library's own.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from memoria.errors import InvalidInputError, RemoteError
from memoria.model import (
    ContextPackage,
    Hit,
    Memory,
    MemoryPage,
    MemoryVersion,
    Provenance,
    Receipt,
    RecordedTurn,
    RememberResult,
    Scratchpad,
    SearchResult,
    SessionPage,
    Statistics,
    parse_instant,
    to_iso,
)
from memoria.model.base import HIDDEN, Value, list_forms
from memoria.model.core import CoreFile
from memoria.model.forgetting import ForgetItem, ForgetPreview, ForgetReport, ForgetResult
from memoria.model.memory import LocalSpan
from memoria.model.turn import CompletedTask

ValueT = TypeVar("ValueT", bound=Value)
Document = Mapping[str, Any]

_OF_A_RESULT = (
    *("tokens", "max_tokens", "id_chars", "notes", "is_empty", "is_narrow", "unmet", "hint"),
)
_OF_A_MEMORY = ("created_at", "updated_at", "evidence", "use_count", "last_used_at", "flag")
_MARKS = ("contradicts", "outdated_by", "former_end", "is_unchanged")
_VOTES = ("upvotes", "downvotes")
_FIGURES = ("importance", "confidence")
_SHOWN_ALONE = ("scope", "predicate", "expires_at", "entities", "links", "local")
_OF_A_WORDING = ("n", "ingested_at", "inferred_by", "event_at", "event_expression", "utc_offset")
_OF_AN_ORIGIN = ("source_kind", "channel", "client", "quote")
_OF_A_STATEMENT = ("content", "supersedes", "contradicts", "superseded_by", "local", "former_end")
_OF_ITS_RULING = ("ignored", "scope", "project", "is_scope_open", "guessed_type", "may_replace")
_OF_A_PREVIEW = ("include_source", "already_forgotten", "hidden", "kept", "share")
_OF_A_FORGET = ("already_forgotten", "hidden", "near_turns", "related_memories", "files")


def read_result(document: Document) -> SearchResult:
    """Return an answer of either level; `query` stands beside what REST has answered."""
    return read_value(
        SearchResult,
        document,
        without=(*_OF_A_RESULT, "elsewhere"),
        hits=tuple(map(read_hit, document["hits"])),
    )


def read_hit(document: Document) -> Hit:
    """Return a hit; what is left out of a document because it is plain is put back."""
    is_memory, place = document["kind"] == "memory", document["source"]
    is_former = document.get("validity") == "superseded"
    plain = {
        "validity": "active" if is_memory else None,
        "version": 1 if is_memory or is_former else None,
    }
    source = place if is_memory else {"turn_id": document["id"], **place}
    return read_value(Hit, {**plain, **document, "source": source})


def read_document(document: Document) -> dict[str, Any]:
    """Return a document as it is: its texts come in pages, and with tool calls in them."""
    return {name: one for name, one in document.items() if name != "query"}


def read_package(document: Document) -> ContextPackage:
    """Return a context package."""
    return read_value(ContextPackage, document)


def read_memory(document: Document) -> Memory:
    """Return a memory that was looked up."""
    workspace = document["source"].get("workspace")
    local = read_value(LocalSpan, document)
    return read_value(
        Memory,
        {**_plain_state(document), "workspace": workspace},
        without=(*_VOTES, *_OF_A_MEMORY, *_MARKS),
        expires_at=None if local.until is None else _read_moment(local.until),
        local=local,
        versions=tuple(map(_read_wording, document["versions"])),
    )


def read_listed(document: Document) -> Memory:
    """Return a memory of a list; `versions` holds its present wording alone."""
    left_out = (*_VOTES, *_OF_A_MEMORY, *_MARKS, *_FIGURES, *_SHOWN_ALONE)
    without = (*_OF_A_WORDING, "version", "valid_to", "provenance")
    wording = read_value(MemoryVersion, document, without=without)
    return read_value(Memory, _plain_state(document), without=left_out, versions=(wording,))


def read_revised(document: Document) -> Memory:
    """Return a memory after a revision; `versions` holds its present wording alone."""
    without = (*_OF_A_WORDING, "valid_from", "valid_to", "provenance")
    wording = read_value(MemoryVersion, document, without=without)
    left_out = (
        *(*_OF_A_MEMORY, *_MARKS, *_FIGURES, *_SHOWN_ALONE),
        *("type", "workspace", "subject", "task", "later", "condition", "metadata"),
    )
    return read_value(Memory, document, without=left_out, versions=(wording,))


def read_memories(document: Document) -> MemoryPage:
    """Return a page of memories."""
    memories = tuple(map(read_listed, document["memories"]))
    return read_value(MemoryPage, document, without=("id_chars",), memories=memories)


def read_sessions(document: Document) -> SessionPage:
    """Return a page of sessions."""
    return read_value(SessionPage, document)


def read_remembered(document: Document) -> RememberResult:
    """Return the outcome of a statement."""
    ends = document.get("expires_at")
    return read_value(
        RememberResult,
        {"redactions": {}, **document},
        without=(*_OF_A_STATEMENT, *_OF_ITS_RULING),
        expires_at=None if ends is None else _read_moment(ends),
    )


def read_receipt(document: Document) -> Receipt:
    """Return a receipt; `turns` holds those that have an id, without their status."""
    turns = tuple(RecordedTurn.of_some({"id": one}) for one in document["turn_ids"])
    plain = dict.fromkeys(("already_recorded", "new_versions", "forgotten"), 0)
    plain |= dict.fromkeys(("stripped", "closed_segments"), 0)
    return read_value(Receipt, {**plain, "redactions": {}, **document}, turns=turns)


def read_scratchpad(document: Document) -> Scratchpad:
    """Return a session's scratchpad."""
    lines = (line.partition(" ") for line in document["completed"])
    done = tuple(CompletedTask(task=task, at=_read_moment(at)) for at, _, task in lines)
    return read_value(Scratchpad, document, without=("updated_at",), completed=done)


def read_scratchpads(document: Document) -> list[Scratchpad]:
    """Return the scratchpads of a list."""
    return [read_value(Scratchpad, one) for one in document["scratchpads"]]


def read_preview(document: Document) -> ForgetPreview:
    """Return what would be forgotten; without `token` where only the user may forget it."""
    left_out = _OF_A_PREVIEW if "token" in document else (*_OF_A_PREVIEW, "token")
    items, near = (tuple(map(_read_item, document.get(name, ()))) for name in ("items", "near"))
    return read_value(ForgetPreview, document, without=left_out, items=items, near=near)


def read_forgotten(document: Document) -> ForgetResult:
    """Return what was forgotten."""
    report = document.get("report")
    return read_value(
        ForgetResult,
        {"turns_erased": (), "turns_suppressed": (), **document},
        without=(*_OF_A_FORGET, "deleted_files", "scrubbed", "backups"),
        report=None if report is None else _read_proof(report),
    )


def read_reports(document: Document) -> list[ForgetReport]:
    """Return the reports of a list."""
    return list(map(read_report, document["reports"]))


def read_report(document: Document) -> ForgetReport:
    """Return the report of a forget."""
    return read_value(ForgetReport, document)


def read_statistics(document: Document) -> Statistics:
    """Return what a memory holds, in numbers."""
    return read_value(Statistics, document, without=("database_bytes",))


def read_core_files(document: Document) -> dict[CoreFile, str]:
    """Return the text of each core file."""
    return dict(document["files"])


def read_value(
    kind: type[ValueT], document: Document, *, without: tuple[str, ...] = (), **known: object
) -> ValueT:
    """Return a value from the form in which `Value.to_json` shows it.

    Args:
        kind: the class of the value.
        document: keys that are no field are passed over: a newer server may say more.
        without: fields that the document does not carry.
        known: fields that are read already.

    Raises:
        RemoteError: a field is missing or of another kind.
    """
    fields = dict[str, Any](known)
    for name, read in _list_readers(kind).items():
        if name not in known and name not in without:
            fields[name] = read(document)
    return kind.of_some(fields)


def report_unreadable(problem: str) -> RemoteError:
    """Return the error for an answer, with what is wrong with it."""
    return RemoteError(
        f"The server's answer can't be read: {problem}. Check that the address is that of a "
        "Memoria server, and that its version is this one's."
    )


@cache
def _list_readers(kind: type[Value]) -> dict[str, Callable[[Document], Any]]:
    """Map the fields of a class that are shown to functions that read each from a document."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        name: _build_reader(name, kind.model_fields[name], hints[name], form.name or name)
        for name, form in list_forms(kind)
        if form is not HIDDEN
    }


def _build_reader(name: str, field: FieldInfo, hint: object, key: str) -> Callable[[Document], Any]:
    is_moment = any(getattr(note, "write", None) is to_iso for note in _list_notes(hint))
    convert = _read_moment if is_moment else _build_converter(hint)
    may_be_none = field.is_required() and NoneType in get_args(_strip(hint))

    def read(document: Document) -> Any:  # noqa: ANN401  (any field)
        shown = document.get(key)
        if shown is not None:
            try:
                return convert(shown)
            except (ValidationError, InvalidInputError, TypeError) as error:
                problem = f"`{key}` is of another kind than expected"
                raise report_unreadable(problem) from error
        if may_be_none:
            return None
        if field.is_required():
            raise report_unreadable(f"`{key}` is missing")
        return field.get_default(call_default_factory=True)

    read.__name__ = f"read_{name}"
    return read


def _build_converter(hint: object) -> Callable[[Any], Any]:
    """Build a function that reads what is shown of a type."""
    inner = _strip(hint)
    parts = [part for part in get_args(inner) if part not in (NoneType, Ellipsis)]
    if isinstance(inner, type) and issubclass(inner, Value):
        return lambda shown: read_value(inner, shown)
    if get_origin(inner) in (Union, UnionType) and len(parts) == 1:
        return _build_converter(parts[0])
    if get_origin(inner) in (tuple, list) and len(parts) == 1:
        whole, each = get_origin(inner), _build_converter(parts[0])
        return lambda shown: whole(map(each, shown))
    return TypeAdapter[Any](inner).validate_python


def _strip(hint: object) -> Any:  # noqa: ANN401  (any annotation)
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _list_notes(hint: object) -> list[object]:
    parts = (hint, *get_args(_strip(hint)))
    return [note for part in parts for note in getattr(part, "__metadata__", ())]


def _read_moment(text: str) -> int:
    return parse_instant(text)


def _plain_state(document: Document) -> dict[str, Any]:
    """Return a memory's document with its stored validity, and with what is left out if false."""
    marked = document["validity"] in ("contradicted", "outdated")
    validity = "active" if marked else document["validity"]
    return {"pinned": False, **document, "validity": validity}


def _read_wording(document: Document) -> MemoryVersion:
    origin = read_value(Provenance, document["source"], without=_OF_AN_ORIGIN)
    return read_value(MemoryVersion, document, without=_OF_A_WORDING, provenance=origin)


def _read_item(document: Document) -> ForgetItem:
    effect = "suppressed" if document.get("suppressed") else "erased"
    return read_value(ForgetItem, {"id": "", "text": "", **document}, effect=effect)


def _read_proof(document: Document) -> ForgetReport:
    return read_value(ForgetReport, document, without=("by", "selected_by", "digests"))
