"""Resources: what a client may put into a prompt without asking a tool, and links to them."""

import json
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import cast

from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    Annotations,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceLink,
    ResourceTemplate,
    TextResourceContents,
)
from mcp.types import Resource as ListedResource

from memoria.app import Memoria
from memoria.disk.home_files import read_seed
from memoria.errors import InvalidInputError, MemoriaError, NotFoundError, shorten
from memoria.language.reading.fences import fence
from memoria.language.words.document import full_text
from memoria.model import SearchResult, SessionRecord
from memoria.model.core import CORE_FILES, CoreFile
from memoria.model.memory import Condition
from memoria.retrieval.answer.form import indent_words
from memoria.surface.mcp.calls import RequestContext, find_memory, title_of
from memoria.surface.mcp.instructions import A_MODEL_READS, NOTHING_UNREAD, load_text
from memoria.surface.text import memory_text, scratchpads_text, turn_citation

_MARKDOWN = "text/markdown"
_PLAIN = "text/plain"
_SESSION_CHARS = 60_000
_LOG = logging.getLogger(__name__)


async def guide(_memory: Memoria) -> str:
    """How this memory works and when to use which tool."""
    return load_text("guide.md")


async def scratchpad(memory: Memoria) -> str:
    """What the latest sessions are working on."""
    return fence(scratchpads_text(await memory.list_tasks()))


async def memory_file(memory: Memoria) -> str:
    """Core memory: what always matters."""
    return await core_text(memory, "MEMORY.md")


async def user_file(memory: Memoria) -> str:
    """Core memory: who the user is."""
    return await core_text(memory, "USER.md")


async def persona_file(memory: Memoria) -> str:
    """Core memory: how the assistant is to behave towards this user."""
    return await core_text(memory, "PERSONA.md")


async def status(memory: Memoria) -> str:
    """How much is stored, and whether vectors are ready."""
    figures = (await memory.statistics()).to_json()
    figures.pop("database_bytes")  # it tells of all tenants of the home
    return json.dumps({**figures, "embedder": memory.embedder_state}, ensure_ascii=False)


async def unread(memory: Memoria) -> str:
    """What was said and nobody has read: its next page, and how to hand in what it comes to."""
    if memory.settings.has_chat_model:
        return A_MODEL_READS
    await memory.catch_up()
    return fence(await memory.read_unread() or NOTHING_UNREAD)


async def unread_page(memories: Memoria, page_id: str) -> str:
    """A page of what was said and nobody has read."""
    return fence(await memories.read_unread(page_id) or NOTHING_UNREAD)


async def memory(memories: Memoria, memory_id: str) -> str:
    """A memory with its history and sources."""
    return fence(memory_text(await memories.get_memory(memory_id)))


async def session(memories: Memoria, session_id: str) -> str:
    """A session's first turns, verbatim."""
    return fence(_session_text(await memories.get_session(session_id)))


@dataclass(frozen=True, slots=True)
class ResourceReader:
    """A resource or, with variables in its URI, a family of resources, and its reading function."""

    uri: str
    read: Callable[..., Awaitable[str]]
    mime_type: str = _PLAIN

    @property
    def title(self) -> str:
        """Name that clients show to people: a file's, or the function's."""
        name = self.uri.rpartition("/")[2]
        return name if name in CORE_FILES else title_of(self.read.__name__)

    @property
    def description(self) -> str:
        """Description that clients show: the function's docstring."""
        return self.read.__doc__ or ""


RESOURCES = (
    ResourceReader("memory://guide", guide, _MARKDOWN),
    ResourceReader("memory://scratchpad", scratchpad, _MARKDOWN),
    ResourceReader("memory://core/MEMORY.md", memory_file, _MARKDOWN),
    ResourceReader("memory://core/USER.md", user_file, _MARKDOWN),
    ResourceReader("memory://core/PERSONA.md", persona_file, _MARKDOWN),
    ResourceReader("memory://unread", unread, _MARKDOWN),
    ResourceReader("memory://status", status, "application/json"),
)
MEMORY, SESSION = "memory://memories/{memory_id}", "memory://sessions/{session_id}"
TEMPLATES = (
    ResourceReader(MEMORY, memory),
    ResourceReader(SESSION, session),
    ResourceReader("memory://unread/{page_id}", unread_page, _MARKDOWN),
)


async def list_resources(
    _context: RequestContext, _params: PaginatedRequestParams | None
) -> ListResourcesResult:
    """List the resources of a fixed name."""
    return ListResourcesResult(
        resources=[
            ListedResource(
                uri=one.uri,
                name=one.read.__name__,
                title=one.title,
                description=one.description,
                mime_type=one.mime_type,
            )
            for one in RESOURCES
        ]
    )


async def list_templates(
    _context: RequestContext, _params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    """List the families of resources."""
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=one.uri,
                name=one.read.__name__,
                title=one.title,
                description=one.description,
                mime_type=one.mime_type,
            )
            for one in TEMPLATES
        ]
    )


def list_variables(one: ResourceReader) -> list[str]:
    """List the variables in the URIs of a family of resources."""
    return list(UriTemplate.parse(one.uri).variable_names)


async def read_resource(
    context: RequestContext, params: ReadResourceRequestParams
) -> ReadResourceResult:
    """Read a resource.

    Raises:
        MCPError: there is none of that URI, or it can't be read now.
    """
    uri = str(params.uri)
    reader, variables = _find_reader(uri)
    try:
        text = await reader.read(find_memory(context), **variables)
    except MemoriaError as error:
        known = isinstance(error, NotFoundError | InvalidInputError)
        raise _failure(uri, str(error), INVALID_PARAMS if known else INTERNAL_ERROR) from error
    except Exception as error:
        _LOG.exception("Resource %s raised an unexpected exception", uri)
        raise _failure(uri, f"Error reading resource {uri}", INTERNAL_ERROR) from error
    content = TextResourceContents(uri=params.uri, text=text, mime_type=reader.mime_type)
    return ReadResourceResult(contents=[content])


def _find_reader(uri: str) -> tuple[ResourceReader, dict[str, str]]:
    for one in RESOURCES:
        if one.uri == uri:
            return one, {}
    for one in TEMPLATES:
        variables = UriTemplate.parse(one.uri).match(uri)
        if variables is not None:
            return one, cast("dict[str, str]", variables)  # our URIs have no list variables
    known = ", ".join(one.uri for one in (*RESOURCES, *TEMPLATES))
    problem = f"There is no resource {shorten(uri)}. There are {known}."
    raise _failure(uri, problem, INVALID_PARAMS)


def _failure(uri: str, problem: str, code: int) -> MCPError:
    return MCPError(code=code, message=problem, data={"uri": uri})


CORE_URIS = frozenset(f"memory://core/{name}" for name in CORE_FILES)
"""URIs of the resources that show core files."""


async def look_at_core(memory: Memoria) -> dict[str, Hashable]:
    """Map the URIs of core files to values that change with these."""
    return {f"memory://core/{name}": at for name, at in (await memory.look_at_core()).items()}


async def core_text(memory: Memoria, name: CoreFile) -> str:
    """Return the present text of a core file without its marks, fenced as data."""
    return fence((await memory.read_core()).get(name) or read_seed(name))


def _session_text(record: SessionRecord) -> str:
    """Render a session's first turns, tool calls included."""
    shown: list[str] = []
    left = _SESSION_CHARS
    for turn in record.turns:
        mark = f" ({Condition.CONFIDED})" if turn.id in record.confided else ""
        entry = f"[turn {turn.id}] {turn_citation(turn)}{mark}\n    {indent_words(full_text(turn))}"
        if len(entry) > left:
            break
        shown.append(entry)
        left -= len(entry)
    if len(shown) < record.total:
        shown.append(
            f"… {len(shown)} of {record.total} turns; search_conversation_traces has the rest"
        )
    return "\n\n".join(shown)


_MOST = 3
_FOR_USER = Annotations(audience=["user"], priority=0)


def without_links(answer: CallToolResult) -> CallToolResult:
    """Drop the links from an answer."""
    content = [one for one in answer.content if not isinstance(one, ResourceLink)]
    return answer.model_copy(update={"content": content})


def link_memory(memory_id: str) -> ResourceLink:
    """Return a link to a memory with its history."""
    return _link(MEMORY, "memory", memory_id)


def link_session(session_id: str) -> ResourceLink:
    """Return a link to the turns of a session."""
    return _link(SESSION, "session", session_id)


def link_hits(found: SearchResult) -> list[ResourceLink]:
    """List links to the first memories of an answer, and to the sessions of its first turns."""
    links = (
        link_memory(hit.id) if hit.kind == "memory" else _link_source(hit.source.session_id)
        for hit in found.hits
        if hit.shown_as is None
    )
    return choose_links(links)


def choose_links(links: Iterable[ResourceLink | None]) -> list[ResourceLink]:
    """Return the first few different links."""
    return [*{one.uri: one for one in links if one is not None}.values()][:_MOST]


def _link_source(session_id: str | None) -> ResourceLink | None:
    return None if session_id is None else link_session(session_id)


def _link(template: str, kind: str, record_id: str) -> ResourceLink:
    uri = UriTemplate.parse(template).expand({f"{kind}_id": record_id})
    return ResourceLink(uri=uri, name=f"{kind} {record_id}", annotations=_FOR_USER)
