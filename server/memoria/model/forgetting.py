"""Forgetting: selections, previews, and the proof that is left after.

A preview lists everything that would go, and has a token. Who confirms gives the token back: what
was shown is what is forgotten, or nothing is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value
from memoria.model.memory_types import AnyType
from memoria.model.moments import Moment
from memoria.model.query import (
    CLEAN,
    INSTANT,
    ForPeople,
    NotForAgents,
    is_for_agents,
    read_list,
    read_names,
)

ForgetKind = Literal[
    "memory",
    "duplicate",
    "conclusion",
    "correction",
    "derived",
    "episode",
    "wording",
    "turn",
    "note",
    "line",
    "file",
]
"""Kind of an item of a preview: what was named; what says the same; what was concluded from a
turn that is meant; what waits for the user's word to correct it; what was derived from any of it; a
summary of its turns; what another memory said before; a turn; the name of a task; a line of a core
file; a whole file."""
FORGET_KINDS: tuple[ForgetKind, ...] = ForgetKind.__args__  # type: ignore[attr-defined]
ShareKind = Literal["memory", "turn"]
ForgetEffect = Literal["erased", "suppressed"]
ForgetState = Literal["hidden", "erased", "restored"]
_Ids = Annotated[tuple[str, ...], BeforeValidator(read_names)]
_Text = Annotated[str | None, CLEAN]
NARROWING = ("topic", "query", "types", "session_id", "speaker", "since", "until", "workspace")


class ForgetSelection(Value):
    """A choice of what to forget: ids, or otherwise whatever passes all other fields given."""

    model_config = ConfigDict(strict=True)

    ids: Annotated[_Ids, Field(description="memory or turn ids")] = ()
    topic: Annotated[
        _Text,
        Field(description="all that names it"),
        ForPeople("whatever names this person, place, thing or word"),
    ] = None
    query: Annotated[_Text, ForPeople("the memories that answer a search from this project")] = None
    types: Annotated[
        tuple[AnyType, ...],
        BeforeValidator(read_list),
        NotForAgents(),
        ForPeople("memories of this type; may be repeated"),
    ] = ()
    session_id: Annotated[_Text, ForPeople("what was said in this session")] = None
    speaker: Annotated[_Text, ForPeople("what this speaker said")] = None
    since: Annotated[
        _Text,
        INSTANT,
        ForPeople("what was said at this date or time or later, ISO 8601 or words like yesterday"),
    ] = None
    until: Annotated[
        _Text,
        INSTANT,
        ForPeople("what was said before this date or time, ISO 8601 or words like yesterday"),
    ] = None
    workspace: Annotated[
        _Text, ForPeople("what was said in this project; * with --query for all")
    ] = None
    everything: Annotated[
        bool, NotForAgents(), ForPeople("all that this tenant holds, its turns and files included")
    ] = False
    include_source: Annotated[
        bool,
        Field(description="erase their turns too"),
        ForPeople("erase the turns that the memories came from, too"),
    ] = False
    keep: Annotated[
        _Ids,
        Field(description="ids to spare"),
        ForPeople("id of something in the preview that is to stay; may be repeated"),
    ] = ()

    @model_validator(mode="after")
    def _check_what_is_meant(self) -> Self:
        if not (self.ids or self.narrowing or self.everything):
            raise ValueError(
                "nothing is named: give ids, or one of " + ", ".join((*NARROWING, "everything"))
            )
        if (bool(self.ids) + bool(self.narrowing) + self.everything) > 1:
            raise ValueError("give ids, or what to select by, or everything, and not two of these")
        if self.everything and self.keep:
            raise ValueError("everything leaves nothing to keep")
        if self.narrowing == ("workspace",) and self.workspace == "*":
            raise ValueError("workspace * names no project: say what else is meant, or everything")
        return self

    @property
    def narrowing(self) -> tuple[str, ...]:
        """Names of the fields that select, apart from ids."""
        return tuple(name for name in NARROWING if getattr(self, name))

    def with_token(self, token: str | None, reason: str | None = None) -> "ForgetOrder":
        """Build the order to forget exactly the items of a preview."""
        fields = {name: getattr(self, name) for name in ForgetSelection.model_fields}
        return ForgetOrder(**fields, token=token, reason=reason)

    @classmethod
    def list_selectors(cls) -> list[str]:
        """List the arguments by which an agent can select what is to be forgotten."""
        fields = cls.model_fields
        return ["ids", *(name for name in NARROWING if is_for_agents(fields[name]))]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields that select, never their values: `everything`, `ids` or others."""
        return ("everything",) if self.everything else self.narrowing or ("ids",)


class ForgetOrder(ForgetSelection):
    """A selection, with the token of the preview that was agreed to."""

    token: Annotated[
        _Text,
        Field(description="of the preview the user agreed to"),
        ForPeople("token of the preview that is agreed to; nothing else is forgotten"),
    ] = None
    reason: Annotated[
        _Text,
        NotForAgents(),
        ForPeople("reason that is shown when it is to come back, in words that don't say what"),
    ] = None
    may_return: Annotated[
        bool,
        NotForAgents(),
        ForPeople("do not remember that it was forgotten: it may be said and learnt again"),
    ] = False
    """True for a program that stores things of its own, and may write them again."""
    at_once: Annotated[
        bool,
        NotForAgents(),
        ForPeople("erase at once what forget_grace_days would let be put back"),
    ] = False

    @model_validator(mode="after")
    def _check_return(self) -> Self:
        if self.may_return and not (self.ids and self.include_source):
            raise ValueError("may_return needs ids and include_source")
        return self

    @property
    def selection(self) -> ForgetSelection:
        """The selection, without what only an order has."""
        fields = ForgetSelection.model_fields
        return ForgetSelection(**{name: getattr(self, name) for name in fields})


class ForgetItem(Value):
    """Something that a forget would erase or suppress."""

    kind: ForgetKind
    id: Annotated[str, UNLESS_EMPTY]
    """Id of a memory or turn; place of a line or a file below the tenant's folder."""
    text: Annotated[str, UNLESS_EMPTY]
    """Text of the item; of a turn, the beginning."""
    effect: Annotated[
        ForgetEffect, Shown("suppressed", write=lambda effect: effect == "suppressed" or None)
    ] = "erased"
    is_unsupported: Annotated[bool, HIDDEN] = False
    """True for a conclusion that goes only because all of its turns go."""


class HiddenRecord(Value):
    """Something that was forgotten and can still be put back."""

    id: str
    report_id: str
    """Id of the report of the forget that hides the record."""
    until: int
    """Time at which the record is erased, UTC epoch ms."""

    @property
    def undo_command(self) -> str:
        """Command that puts back all records that the same forget hides."""
        return f"memoria undo {self.report_id}"


class ForgetPreview(Value):
    """A preview of everything that a forget would do."""

    items: tuple[ForgetItem, ...]
    counts: dict[str, int]
    """Number of items by kind; with more than are listed where everything is meant."""
    token: str
    """Token that, given back, forgets just this."""
    include_source: bool = False
    already_forgotten: tuple[str, ...] = ()
    hidden: tuple[HiddenRecord, ...] = ()
    """Records of those already forgotten that can still be put back."""
    kept: tuple[str, ...] = ()
    """Ids that were to be spared."""
    near: tuple[ForgetItem, ...] = ()
    """Turns that stay, though they say nearly the same, or belong to a correction."""
    share: dict[ShareKind, tuple[int, int]] = Field(default_factory=dict)
    """Numbers of memories or turns selected and in all, if most are selected."""

    @property
    def total(self) -> int:
        """Number of memories, turns, lines and files that would go."""
        return sum(self.counts.values())

    @property
    def is_empty(self) -> bool:
        """True if nothing would be forgotten."""
        return self.total == 0


class ForgetReport(Value):
    """Proof of a forget: the number of rows erased from each index, and no text."""

    id: str
    at: Moment
    """Time of the forget."""
    state: ForgetState
    purge_at: Moment | None = None
    """Time at which the hidden rows will be erased."""
    purged_at: Moment | None = None
    """Time at which the hidden rows were erased."""
    items: dict[str, int]
    """Number of items by kind."""
    removed: dict[str, int]
    """Number of rows that left each index."""
    remaining: dict[str, int]
    """Number of rows left in each index; empty if all went well."""
    by: str
    """The way in: `on the command line`, `over MCP by …`."""
    selected_by: tuple[str, ...]
    """Fields of the selection, without their values."""
    digests: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """An HMAC of each item under the home's key, in order; read only where a report is shown."""
    scrubbed: Annotated[bool, HIDDEN] = False
    """True if the database file was wiped at once; if False, doctor reports when it is."""


class RemainingBackup(Value):
    """A backup that still holds something forgotten."""

    path: str
    made_at: int
    kept_until: int | None
    """Time at which the next backup removes this backup, UTC epoch ms; None if no backup does."""


class ForgetResult(Value):
    """Outcome of a forget: what was erased, and what could not be reached."""

    memories: tuple[str, ...]
    turns_erased: tuple[str, ...]
    turns_suppressed: tuple[str, ...]
    """Still in the verbatim record; nothing is concluded from them any more."""
    already_forgotten: tuple[str, ...]
    hidden: tuple[HiddenRecord, ...] = ()
    """Records of those already forgotten that can still be put back."""
    told_by: Annotated[tuple[str, ...], HIDDEN] = ()
    """Sources of the turns concerned that a client's transcript or hook has told."""
    near_turns: tuple[str, ...] = ()
    """Ids of turns that say nearly the same and stay, if no preview has shown them."""
    related_memories: tuple[str, ...]
    """Memories that remain, although they rest on an erased turn, contain the same words, or are
    sources of a forgotten one."""
    files: tuple[str, ...]
    """Files of the home from which lines were taken, or that were deleted."""
    deleted_files: tuple[str, ...] = ()
    """Deleted files: generated ones, or all files if everything was forgotten."""
    skill_files: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Files of forgotten skills that were deleted in projects."""
    skill_files_left: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Files of forgotten skills that somebody has changed, and that stay."""
    scrubbed: bool
    """True if the database file holds no trace of what was erased."""
    backups: tuple[RemainingBackup, ...]
    report: ForgetReport | None = None
    """Stored proof; None if nothing was left to forget."""


def count_kinds(items: Sequence[ForgetItem]) -> dict[str, int]:
    """Count the items of each kind, in the order of the kinds."""
    counted = Counter(item.kind for item in items)
    return {kind: counted[kind] for kind in FORGET_KINDS if counted[kind]}


class Change(Value):
    """One thing that a person did: a statement, a revision, a forget, an import, an undo."""

    id: str
    at: Moment
    """Time of the action."""
    action: str
    """`remember`, an action of a revision, `forget`, `import` or `undo`."""
    by: str
    """The way in: `on the command line`, `by a program`."""
    memory_id: str | None = None
    """Id of the memory concerned; None for a forget or an import."""
    content: Annotated[str | None, Shown("text")] = None
    """Text of the memory after the change, or now; None if the memory was forgotten."""
    former: Annotated[str | None, Shown("former_text")] = None
    """Text of the memory before a correction, if not forgotten."""
    others: Annotated[tuple[str, ...], Shown("other_memories", when_empty=False)] = ()
    """Ids of other memories that changed as well."""
    items: Annotated[Mapping[str, int] | None, HIDDEN] = None
    """Numbers of items, by kind, that a forget has hidden or an import has added."""
    sessions: Annotated[tuple[str, ...], HIDDEN] = ()
    """Conversations that an import has added turns to, if turns of it remain."""
    undoes: str | None = None
    """Id of the change that this change took back."""
    is_undone: Annotated[bool, Shown("undone")] = False
    is_gone: Annotated[bool, HIDDEN] = False
    """True if the change can't be undone: the memory or its former text is forgotten, or the change
    was an import or a forget for good."""
    is_overtaken: Annotated[bool, HIDDEN] = False
    """True if the memory was changed again: the later change is to be undone first."""

    def _write_fields(self) -> dict[str, Any]:
        """Return every field as JSON; the items of a forget are `forgotten`, else `imported`."""
        kind = "imported" if self.action == "import" else "forgotten"
        return super()._write_fields() | ({kind: dict(self.items)} if self.items else {})


class ChangeList(Value):
    """Changes, newest first."""

    changes: tuple[Change, ...]
    id_chars: int
    """Number of last characters that tell the ids of the changes apart."""
