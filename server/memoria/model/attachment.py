"""Attachments: files that clients send in a message, and what the record keeps of them."""

import base64
from collections.abc import Iterator, Mapping
from typing import Self

from pydantic import JsonValue

from memoria.model.base import Value

ATTACHMENT = "attachment"
"""Name of the tool under which an attachment is a turn of its own, behind its message."""
EXPIRED = "its time is over"
"""Reason for which a file that was kept is kept no longer."""
PARTLY_FORGOTTEN = "something in it was forgotten"
"""Reason for which no bytes stand beside the text of a PDF."""
PDF = "application/pdf"
"""The media type of which text is read that is not its bytes."""
_MOST_DEPTH = 20
_HOLDERS = (
    *("source", "image_url", "file", "input_audio", "resource", "inlineData", "inline_data"),
)
_DATA = ("data", "file_data", "blob")
_ADDRESSES = ("url", "image_url")
"""Keys of what may be an address, or the file itself as a `data:` URL."""
_TYPES = ("media_type", "mimeType", "mime_type", "mime")
_NAMES = ("filename", "file_name", "title", "name")
MEDIA = ("image", "audio", "video", "file")
"""Words in the names of parts that are files."""
_OF_CALLS = frozenset(("tool_use", "tool_result", "function_call", "function_call_output"))


class Attachment(Value):
    """A file as a client hands it over inside of a message."""

    data: str
    """Bytes of the file in base64. What can't be decoded leaves its name and type on record."""
    name: str | None = None
    media_type: str | None = None

    @classmethod
    def of_bytes(cls, data: bytes, name: str | None = None, media_type: str | None = None) -> Self:
        """Return the attachment with these bytes."""
        return cls(data=base64.b64encode(data).decode(), name=name, media_type=media_type)


class AttachmentRecord(Value):
    """Record of an attachment: its name, type and size, and whether its bytes are kept."""

    id: str
    """Id of its turn."""
    message_id: str
    """Id of the turn that it came with."""
    name: str | None = None
    media_type: str
    size: int | None = None
    """Bytes; None if they could not be decoded."""
    not_kept: str | None = None
    """Reason for which the bytes are not kept; None if they are."""

    @property
    def is_its_text(self) -> bool:
        """True if its bytes are the text that is read of it, where there are no others."""
        return self.not_kept is None and self.media_type != PDF

    @classmethod
    def of_turn(cls, turn_id: str, message_id: str, told: JsonValue) -> Self:
        """Return the record from the ids of both turns, and the arguments of an attachment's."""
        fields = told if isinstance(told, dict) else {}
        size, name = fields.get("size"), fields.get("file_name")
        return cls(
            id=turn_id,
            message_id=message_id,
            name=None if name is None else str(name),
            media_type=str(fields.get("media_type", "application/octet-stream")),
            size=size if isinstance(size, int) else None,
            not_kept=None if (reason := fields.get("not_kept")) is None else str(reason),
        )


class AttachmentFile(AttachmentRecord):
    """An attachment with its bytes."""

    data: str
    """The bytes in base64."""

    @property
    def content(self) -> bytes:
        """The bytes."""
        return base64.b64decode(self.data)


def read_attachments(content: object) -> tuple[Attachment, ...]:
    """List the files whose bytes stand in the parts of a content; addresses are left alone.

    The forms are those of Anthropic's, OpenAI's and Google's interfaces and of MCP. Results of
    tools are left out: a screenshot a step would fill the disk.

    >>> read_attachments([{"type": "file", "file_data": "data:image/png;base64,aGk="}])
    (Attachment(data='aGk=', name=None, media_type='image/png'),)
    """
    return tuple(_list_attachments(content, _MOST_DEPTH))


def _list_attachments(value: object, depth: int) -> Iterator[Attachment]:
    match value:
        case list() | tuple() if depth:
            for part in value:
                yield from _list_attachments(part, depth - 1)
        case Mapping() if value.get("type") not in _OF_CALLS:
            inner = next((h for key in _HOLDERS if isinstance(h := value.get(key), Mapping)), value)
            if (found := _read_part(value, inner)) is not None:
                yield found


def _read_part(part: Mapping[str, object], inner: Mapping[str, object]) -> Attachment | None:
    """Return the file of a part, whose bytes and type may stand one level further inside."""
    media_type = _find_text(inner, _TYPES) or _find_text(part, _TYPES)
    address = inner.get("uri")
    name = _find_text(part, _NAMES) or _find_text(inner, _NAMES)
    name = name or (address if isinstance(address, str) else None)
    data = _find_text(inner, _DATA) if name or media_type or _is_media(part) else None
    if data is not None and inner.get("type") == "text":  # so Anthropic's interface takes texts
        return Attachment.of_bytes(data.encode("utf-8", "replace"), name, media_type)
    data = data or _find_text(inner, _ADDRESSES) or ""
    if data.startswith("data:"):
        head, _, data = data.removeprefix("data:").partition(";base64,")
        media_type = head.partition(";")[0] or media_type
    elif _find_text(inner, _DATA) is None:
        data = ""
    return Attachment(data=data, name=name, media_type=media_type) if data else None


def _is_media(part: Mapping[str, object]) -> bool:
    return any(medium in str(part.get("type")) for medium in MEDIA)


def _find_text(part: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    found = (value for key in keys if isinstance(value := part.get(key), str))
    return next(filter(None, found), None)
