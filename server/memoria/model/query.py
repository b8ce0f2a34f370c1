"""Queries: the arguments of searches, each with one name, one default and one bound everywhere.

The arguments of the library, the options of the command line and the input schemas of the tools are
made from these models.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Self, TypeVar, get_type_hints

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function

from memoria.errors import NO_ARGUMENT, InvalidInputError, name_options, quote_value
from memoria.model.base import Value
from memoria.model.memory_types import AnyType
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.moments import is_zoned, parse_instant
from memoria.model.parse import describe_problems, replace_unfit
from memoria.model.turn import Role

MAX_LIMIT = 200
MIN_TOKENS = 50
MAX_TOKENS = 100_000
MAX_CONTEXT = 5
MAX_QUERIES = 8


@dataclass(frozen=True, slots=True)
class ForPeople:
    """A help text of the command line that tools leave out.

    Every word there costs tokens, and to a model the argument's name says it.
    """

    text: str


@dataclass(frozen=True, slots=True)
class NotForAgents:
    """Marks an argument that programs and people have, and the tools of an agent do not."""


@dataclass(frozen=True, slots=True)
class WholeTexts:
    """Marks a list whose items are sentences: the command line does not split them at commas."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Least and most value of a number. A complaint names both."""

    least: int
    most: int

    def check(self, value: int | None) -> int | None:
        """Return the number, if absent or within the bounds.

        Raises:
            ValueError: the number is out of bounds.
        """
        if value is not None and not self.least <= value <= self.most:
            problem = f"it is {quote_value(value)}; it must be from {self.least} to {self.most}"
            raise ValueError(problem)
        return value

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "minimum": self.least, "maximum": self.most}


def _clean(value: object) -> object:
    return replace_unfit(value) if isinstance(value, str) else value


def _check_wordings(queries: tuple[str, ...]) -> tuple[str, ...]:
    if len(queries) > MAX_QUERIES:
        raise ValueError(f"there are {len(queries)}; {MAX_QUERIES} is the most")
    if not all(one.strip() for one in queries):
        raise ValueError("one of them is empty. Leave it out")
    return queries


def _check_instant(text: str | None) -> str | None:
    try:
        if text is not None:
            parse_instant(text)
    except InvalidInputError as error:
        raise ValueError(str(error).rstrip(".")) from error
    return text


def read_list(value: object) -> object:
    """Convert a list to a tuple; anything else is left for pydantic to refuse."""
    return _read_each(value, lambda one: one)


def read_names(value: object) -> object:
    """Convert a list of texts to a tuple; anything else is left for pydantic to refuse."""
    return _read_each(value, _clean)


def _read_each(value: object, read: Callable[[object], object]) -> object:
    """Convert a list to a tuple of parsed items; pydantic refuses anything else."""
    match value:
        case None:
            return ()
        case str() | bytes():
            return value
        case Sequence():
            return tuple(map(read, value))
        case _:
            return value


_AnyRole = Annotated[
    Role, Strict(strict=False), WithJsonSchema({"enum": list(map(str, Role)), "type": "string"})
]
CLEAN = BeforeValidator(_clean)
INSTANT = AfterValidator(_check_instant)
_ISO = Field(description="ISO 8601")
_LIMIT = Bounds(1, MAX_LIMIT)
_TOKENS = Bounds(MIN_TOKENS, MAX_TOKENS)
_OF_FILE = ForPeople(
    "what was decided about this file, what failed and what worked, by path or name"
)
_OF_ERROR = ForPeople("what failed with this error, as pasted, and what worked afterwards")
_OF_COMMAND = ForPeople("how this command fared, and what worked where it failed")
_HITS_AT_MOST = ForPeople("most hits to show; by default as many as fit into max-tokens")
METADATA_FOR_PEOPLE = ForPeople(
    "only what has this metadata, as key=value, or a list that has the value; may be repeated"
)
_TOKENS_AT_MOST = ForPeople("most tokens of the answer, estimated")


class SearchQuery(Value):
    """Arguments of both kinds of search."""

    model_config = ConfigDict(strict=True)

    query: Annotated[str, CLEAN, Field(description="the question, in any language")] = ""
    """May be left out where a file, an error or a command is asked for."""
    queries: Annotated[
        tuple[str, ...],
        BeforeValidator(read_names),
        AfterValidator(_check_wordings),
        Field(description="always 2-4, as they may have been said; also parts, or kinds of a list"),
        WholeTexts(),
        ForPeople(
            "another wording of the question, or a part of it, searched for as well; may be "
            f"repeated, {MAX_QUERIES} times at most"
        ),
    ] = ()
    """Further queries, fused with the query into one answer within one budget."""
    file: Annotated[str | None, CLEAN, _OF_FILE] = None
    error: Annotated[str | None, CLEAN, _OF_ERROR] = None
    command: Annotated[str | None, CLEAN, _OF_COMMAND] = None
    limit: Annotated[int | None, _LIMIT, _HITS_AT_MOST] = None
    """None for as many as `max_tokens` holds."""
    max_tokens: Annotated[int, _TOKENS, _TOKENS_AT_MOST] = 700
    since: Annotated[
        str | None,
        CLEAN,
        INSTANT,
        _ISO,
        ForPeople(
            "only what was said at this date or time or later, ISO 8601 or words like yesterday"
        ),
    ] = None
    until: Annotated[
        str | None,
        CLEAN,
        INSTANT,
        _ISO,
        ForPeople("only what was said before this date or time, ISO 8601 or words like yesterday"),
    ] = None
    session_id: Annotated[str | None, CLEAN, ForPeople("only what was said in this session")] = None
    metadata: Annotated[Metadata, NotForAgents(), METADATA_FOR_PEOPLE] = NO_METADATA
    include_history: bool = False
    workspace: Annotated[
        str | None,
        CLEAN,
        Field(description="project; * asks all"),
        ForPeople("ask as from this project; * for all of them"),
    ] = None
    """Project asked from; the configured project by default."""
    without: Annotated[
        tuple[str, ...],
        BeforeValidator(read_names),
        NotForAgents(),
        ForPeople(
            "search without a source (text, vectors, graph) or a stage; commas separate several"
        ),
    ] = ()
    """Parts of the search, or stages of its ranking (`neighbours`, `speakers`, …), that are
    switched off, to see what each is worth."""
    explain: Annotated[
        bool, NotForAgents(), ForPeople("show what each stage contributed to each hit")
    ] = False
    """True if the answer is to have an `explanation`."""

    @property
    def asks_for_calls(self) -> bool:
        """True if a file, an error or a command is asked for."""
        return any(one and one.strip() for one in (self.file, self.error, self.command))

    @model_validator(mode="after")
    def _check_words(self) -> Self:
        if not self.query.strip() and not self.asks_for_calls:
            raise ValueError("the query is empty. Ask in words, for example: release checklist")
        return self

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.since is None or self.until is None:
            return self
        if is_zoned(self.since) != is_zoned(self.until):
            return self  # the plan knows whose zone is meant
        if parse_instant(self.since) >= parse_instant(self.until):
            raise ValueError("since must be before until")
        return self


class MemoryQuery(SearchQuery):
    """Arguments of a search of memories: the first level, conclusions with their sources."""

    include_history: Annotated[bool, ForPeople("include superseded and archived memories")] = False
    types: Annotated[
        tuple[AnyType, ...],
        BeforeValidator(read_list),
        ForPeople("only memories of this type; may be repeated"),
    ] = ()
    as_of: Annotated[
        str | None,
        CLEAN,
        INSTANT,
        Field(description="what held then, ISO 8601"),
        ForPeople("answer with what held then, ISO 8601 or words like yesterday"),
    ] = None
    """Time at which the memories were valid; "last week" is counted from this time."""
    task: Annotated[
        str | None,
        CLEAN,
        Field(description="narrow to it: its memories first, none of other tasks"),
        ForPeople("only memories of this task, which come first, and of no task"),
    ] = None
    """Task; where none is named, memories of the task on the scratchpad rank a little higher."""


class TranscriptQuery(SearchQuery):
    """Arguments of a search of the transcripts: the second level, the verbatim record."""

    file: Annotated[str | None, CLEAN, NotForAgents(), _OF_FILE] = None
    error: Annotated[str | None, CLEAN, NotForAgents(), _OF_ERROR] = None
    command: Annotated[str | None, CLEAN, NotForAgents(), _OF_COMMAND] = None
    max_tokens: Annotated[int, _TOKENS, _TOKENS_AT_MOST] = 1200
    include_history: Annotated[bool, ForPeople("include former versions of messages")] = False
    context: Annotated[
        int,
        Bounds(0, MAX_CONTEXT),
        Field(description="turns beside a hit"),
        ForPeople("turns to show before and after a hit"),
    ] = 1
    """Number of neighbouring turns shown on each side of a hit."""
    role: Annotated[_AnyRole | None, ForPeople("only turns of this role")] = None
    tool: Annotated[str | None, CLEAN, Field(description="only calls of this tool")] = None


QueryT = TypeVar("QueryT", bound=Value)
SearchQueryT = TypeVar("SearchQueryT", bound=SearchQuery)


def query_parameters(kind: type[Value]) -> list[Parameter]:
    """Build the parameters of a function that takes the fields of a query, the first by place."""
    hints = get_type_hints(kind, include_extras=True)
    first = next(iter(kind.model_fields))
    return [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD if name == first else Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.is_required() else field.default,
            annotation=hints[name],
        )
        for name, field in kind.model_fields.items()
    ]


def build_query(kind: type[QueryT], fields: Mapping[str, object], caller: str = "") -> QueryT:
    """Build a query from arguments.

    Args:
        kind: the kind of query.
        fields: the arguments by name.
        caller: the function that was called, if an error should name it.

    Raises:
        InvalidInputError: an argument is missing, unknown or out of bounds; the error names it.
    """
    try:
        return kind.model_validate(dict(fields))
    except ValidationError as error:
        problems = describe_problems(error, of=NO_ARGUMENT)
        first, field = next(iter(kind.model_fields.items()))
        words = first if field.is_required() else ""
        called = f"{caller}: " if caller else ""
        raise InvalidInputError(
            f"{called}{problems}. Nothing was done; mend the call and try again.",
            for_person=f"{name_options(problems, words=words)}. Nothing was done.",
        ) from error


def is_for_agents(field: FieldInfo) -> bool:
    """Return whether the tools of an agent have the argument."""
    return not any(isinstance(one, NotForAgents) for one in field.metadata)


def has_whole_texts(field: FieldInfo) -> bool:
    """Return whether the argument is a list of sentences."""
    return any(isinstance(one, WholeTexts) for one in field.metadata)


def help_text(field: FieldInfo) -> str:
    """Describe an argument for people, with its bounds."""
    texts = [one.text for one in field.metadata if isinstance(one, ForPeople)]
    bounds = [f" ({one.least} to {one.most})" for one in field.metadata if isinstance(one, Bounds)]
    return "".join([*texts, *([] if texts else [field.description or ""]), *bounds])
