"""Small files as clients send them: a picture, texts, and PDFs made by hand."""

import base64
import zlib
from typing import Any


def picture(shade: int = 0) -> bytes:
    """A PNG of one grey pixel."""
    parts = [
        (b"IHDR", bytes((0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0))),
        (b"IDAT", zlib.compress(bytes((0, shade)))),
        (b"IEND", b""),
    ]
    chunks = [
        len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def pdf(words: str) -> bytes:
    """A PDF of one page with a line of words in it."""
    shown = f"BT /F1 12 Tf 40 100 Td ({words}) Tj ET".encode()
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    written, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\n"
    count = len(bodies) + 1
    return written + end % (count, table, count) + b"startxref\n%d\n%%%%EOF\n" % len(written)


def part(data: bytes, name: str | None = None, media_type: str = "image/png") -> dict[str, Any]:
    """A part of a message in the form of Anthropic's interface."""
    kind = "image" if media_type.startswith("image/") else "document"
    source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
    return {"type": kind, "source": source, **({} if name is None else {"title": name})}


def message(words: str, *parts: dict[str, Any], own_id: str = "m1") -> dict[str, Any]:
    """What a user says with files."""
    content = [{"type": "text", "text": words}, *parts]
    return {"role": "user", "content": content, "session_id": "s", "message_id": own_id}
