"""A row of the table of routes, and who calls it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from memoria.app import Memoria
from memoria.model.access import Access
from memoria.model.base import Value
from memoria.surface.documents import Document
from memoria.surface.http.bodies import MOST_BODY_BYTES
from memoria.surface.http.events import Listening

Method = Literal["GET", "POST", "PUT", "PATCH"]


class Order(Value):
    """Arguments of a call: those that the path names, and the query's or the body's."""

    model_config = ConfigDict(strict=True)


OrderT = TypeVar("OrderT", bound=Value)


@dataclass(frozen=True, slots=True)
class RestCaller:
    """A caller: the memory that the token reaches, and the request."""

    memory: Memoria
    token_id: str
    request: Request
    key: str | None = None
    """The call's `Idempotency-Key`: the same in each repetition of one call."""
    listening: Listening = field(default_factory=Listening)
    """What streams of events share."""


@dataclass(frozen=True, slots=True)
class RestRoute(Generic[OrderT]):
    """An operation: how it is called, what it takes and answers, and what it does."""

    method: Method
    path: str
    """The path as Starlette reads it: `/memory/nodes/{memory_id}`."""
    access: Access
    """Access that a token needs."""
    name: str
    """Name of the operation, for clients that are made from the OpenAPI document."""
    summary: str
    order: type[OrderT]
    """Arguments: fields that the path names come from there, others from the query or the body."""
    call: Callable[[RestCaller, OrderT], Awaitable[Document | Response]]
    answer: type[BaseModel] | str
    """Form of the answer's JSON document; the media type of any other answer."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of an example, in which `EXAMPLE_IDS` stand for ids that exist."""
    status: int = 200
    takes_key: bool = False
    """True if a repeated call would do it twice, unless both have one `Idempotency-Key`."""
    current: Callable[[RestCaller, OrderT], Awaitable[Document]] | None = None
    """What is now where the call writes: only where its ETag is in `If-Match`, if a caller sends
    that, is the call done."""
    body_type: str = "application/json"
    """Media type of the body; of any other than JSON the function reads it."""
    most_bytes: int = MOST_BODY_BYTES
    """Largest body."""

    @property
    def reads_json(self) -> bool:
        """True if arguments come in a JSON body."""
        return self.method != "GET" and self.body_type == "application/json"

    @property
    def open_path(self) -> str:
        """The path as OpenAPI writes it."""
        return self.path.replace(":path}", "}")

    @property
    def path_names(self) -> tuple[str, ...]:
        """Names of the arguments in the path."""
        parts = self.open_path.split("{")[1:]
        return tuple(part.partition("}")[0] for part in parts)


EXAMPLE_IDS = {
    "memory": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e01",
    "outdated": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e06",
    "turn": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e02",
    "report": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e03",
    "night": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e04",
    "forget_token": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e05",
    "webhook": "019c0c6e-5f3a-7b1e-8a34-2f4f3b1d9e07",
    "endpoint": "https://events.example.com/memoria",
    "session": "checkout-2026-03-02",
}
"""Ids and an address in examples. Whoever runs the examples puts those of a home in their place."""
