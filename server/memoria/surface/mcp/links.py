"""Links: resources of what an answer names, for clients that let their user open them.

A model has the ids in the text, and many clients write each link into what it reads. So they are
left out unless a setting wants them, marked as the user's, and few.
"""

from collections.abc import Iterable

from mcp.shared.uri_template import UriTemplate
from mcp.types import Annotations, CallToolResult, ResourceLink

from memoria.model import SearchResult
from memoria.surface.mcp.resources import MEMORY, SESSION

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
    """Choose the first few, each once."""
    return [*{one.uri: one for one in links if one is not None}.values()][:_MOST]


def _link_source(session_id: str | None) -> ResourceLink | None:
    return None if session_id is None else link_session(session_id)


def _link(template: str, kind: str, record_id: str) -> ResourceLink:
    uri = UriTemplate.parse(template).expand({f"{kind}_id": record_id})
    return ResourceLink(uri=uri, name=f"{kind} {record_id}", annotations=_FOR_USER)
