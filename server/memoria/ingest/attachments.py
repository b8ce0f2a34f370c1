"""Attachments: what a file is, which text is read of it, and the turn that is made of it.

A text is stored as text alone, without its secrets. Of a PDF the text is stored beside the bytes;
where a secret stands in it, without them. What is no text is stored as it came. Nothing of a file
is run, and nothing that it names is fetched.
"""

import base64
import binascii
import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

from pydantic import JsonValue

from memoria.erasure.suppression import Digester
from memoria.ingest.turn_draft import MOST_TURN_BYTES, TurnDraft, draft_turn
from memoria.language.reading.clean import Tally
from memoria.model import Role, Turn
from memoria.model.attachment import ATTACHMENT, PDF, Attachment

if TYPE_CHECKING:
    import pypdf

_LOG = logging.getLogger(__name__)
_SIGNATURES = (
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"),
    (rb"RIFF....WAVE", "audio/wav"),
    (rb"ID3", "audio/mpeg"),
    (rb"OggS", "audio/ogg"),
    (rb"fLaC", "audio/flac"),
    (rb"%PDF-", PDF),
)
"""First bytes of files, by which a type is known whatever a client calls the file."""
_PROVEN = frozenset(media_type for _, media_type in _SIGNATURES)
_UNKNOWN, _TEXT = "application/octet-stream", "text/plain"
_LONGEST_NAME = 255
_MOST_PAGES = 1_000
_MOST_READ_CHARS = 1_000_000
"""Characters that are read of a PDF."""
_NAME_BYTES = 64 * 1024
"""Bytes of a turn that are left for an attachment's name and type."""
UNREADABLE = "its base64 can't be read"
EMPTY = "it is empty"
UNSAFE = "it holds a secret"


def draft_attachments(
    i: int, draft: TurnDraft, most_bytes: int, tally: Tally, digester: Digester
) -> TurnDraft:
    """Return a draft with drafts of its attachments, each a turn of the tool `attachment`.

    Args:
        i: number of the turn in its call.
        draft: the message.
        most_bytes: the largest file that is kept; of a larger one name, type and size are.
        tally: counts the secrets that are left out.
        digester: as `draft_turn` takes it.
    """
    given = draft.turn.attachments
    made = (_draft_one(i, draft, one, most_bytes, tally, digester) for one in given)
    unique = {one.fingerprint: one for one in made}
    return replace(draft, files=tuple(unique.values()))


def _draft_one(
    i: int, said: TurnDraft, given: Attachment, most_bytes: int, tally: Tally, digester: Digester
) -> TurnDraft:
    name = None if given.name is None else re.split(r"[/\\]", given.name)[-1][-_LONGEST_NAME:]
    told: dict[str, JsonValue] = {} if not name else {"file_name": name}
    data = _decode(given.data, most_bytes)
    if not isinstance(data, bytes):
        told |= {"media_type": (given.media_type or _UNKNOWN)[:_LONGEST_NAME], **data}
        return _draft_turn(i, said, told, None, tally, digester)
    media_type = find_media_type(data, given.media_type)
    told |= {"media_type": media_type, "size": len(data)}
    text, is_text = read_text(data, media_type)
    if is_text and len(data) > MOST_TURN_BYTES - _NAME_BYTES:
        told["not_kept"] = _too_large(MOST_TURN_BYTES - _NAME_BYTES)
        return _draft_turn(i, said, told, None, tally, digester)
    found = Tally()
    made = _draft_turn(i, said, told, text, found, digester)
    tally.redactions.update(found.redactions)
    tally.stripped += found.stripped
    if is_text:
        return made
    if found.redactions or found.stripped:
        return _draft_turn(i, said, {**told, "not_kept": UNSAFE}, text, Tally(), digester)
    # Two pictures may be called the same: their bytes tell them apart.
    digests = made.fingerprint + hashlib.sha256(data).digest()
    return replace(made, file=data, fingerprint=hashlib.sha256(digests).digest())


def _draft_turn(
    i: int,
    said: TurnDraft,
    told: dict[str, JsonValue],
    text: str | None,
    tally: Tally,
    digester: Digester,
) -> TurnDraft:
    turn = Turn(role=Role.TOOL, tool_name=ATTACHMENT, tool_args=told, tool_result=text)
    made = draft_turn(i, turn, said.session_id, MOST_TURN_BYTES, tally, digester)
    when = {"at": said.turn.at, "utc_offset": said.turn.utc_offset}  # no part of what it is
    return replace(made, turn=made.turn.model_copy(update=when))


def _decode(data: str, most_bytes: int) -> bytes | dict[str, JsonValue]:
    """Return the bytes in a text; what is told of them instead, if they are not kept."""
    if len(data) // 4 * 3 > most_bytes + 3:
        return {"size": len(data) // 4 * 3, "not_kept": _too_large(most_bytes)}
    try:
        found = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return {"not_kept": UNREADABLE}
    if len(found) > most_bytes:
        return {"size": len(found), "not_kept": _too_large(most_bytes)}
    return found or {"size": 0, "not_kept": EMPTY}


def _too_large(most_bytes: int) -> str:
    return f"it is larger than {most_bytes:,} bytes"


def find_media_type(data: bytes, claimed: str | None) -> str:
    """Return the media type that the first bytes of a file prove, else the claimed one.

    >>> find_media_type(b"%PDF-1.7", "image/png"), find_media_type("你好".encode(), None)
    ('application/pdf', 'text/plain')
    """
    named = (claimed or "").partition(";")[0].strip().lower()[:_LONGEST_NAME]
    for begins, media_type in _SIGNATURES:
        if re.match(begins, data, re.DOTALL):
            return media_type
    if named and named not in _PROVEN:
        return named
    return _UNKNOWN if _as_text(data) is None else _TEXT


def read_text(data: bytes, media_type: str) -> tuple[str | None, bool]:
    """Return the text of a file, None if there is none to be read; and whether it is all of it."""
    if media_type == PDF:
        return _read_pdf(data), False
    is_other = media_type.startswith(("image/", "audio/", "video/", "font/"))
    text = None if is_other and media_type != "image/svg+xml" else _as_text(data)
    return text, text is not None


def _as_text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _read_pdf(data: bytes) -> str | None:
    """Return the words of a PDF; None without `pypdf`, and for a file that it can't read."""
    try:
        import pypdf  # noqa: PLC0415  (an extra, and slow to load)
    except ImportError:
        return None
    try:
        text = "\n\n".join(_list_pages(pypdf.PdfReader(BytesIO(data)).pages)).strip()
    except Exception as error:  # noqa: BLE001  (a file of anybody's: it may raise anything)
        _LOG.warning("No text could be read of a PDF: %s", type(error).__name__)
        return None
    return text.encode("utf-8", "replace").decode() or None


def _list_pages(pages: "Sequence[pypdf.PageObject]") -> Iterator[str]:
    left = _MOST_READ_CHARS
    for page in pages[:_MOST_PAGES]:
        words = page.extract_text()[:left]
        left -= len(words)
        yield words
        if left <= 0:
            return
