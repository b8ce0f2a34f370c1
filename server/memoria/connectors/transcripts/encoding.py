"""Detection of the encoding of a text that another program wrote.

UTF-8 it is, where it can be. Else every encoding is tried that decodes all of it, and judged by how
many of its characters are frequent in that encoding: a text in GBK has the common hanzi of GB 2312,
and one in Windows-1252 that is read as GBK has hanzi that nobody uses. That is right for texts of a
line, where libraries that compare statistics of languages are not. What fits nowhere is refused.
"""

import codecs
import re
from typing import NamedTuple

_SAMPLE_CHARS = 20_000
_ENOUGH = 0.6
"""Share of frequent characters among those that are not ASCII."""
_MOST_FOREIGN = 0.4
"""Share of letters with accents and of typographic signs in a text of a Latin script."""
_ASCII_WITH_NULS = 0.85
_NULS_OF_LATIN = 0.3
_PLAUSIBLE = 0.95
_UTF_8_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_ASCII_TEXT = re.compile(rb"[\t\n\r -~]")
_TYPOGRAPHY = frozenset("€‚ƒ„…†‡ˆ‰‹‘’“”•–—˜™› ¡¢£¥§©«®°±²³´µ·¸¹º»¼½¾¿×÷")
_NO_LETTER = re.compile(r"(?<![A-Za-z])[ÿþ](?![A-Za-z])")
"""Bytes FF and FE where no word is: remains of another encoding's mark."""
_UTF_16_TEXT = re.compile(
    "[\t\n\r -~\u00a1-\u024f\u0370-\u052f\u2010-\u2026\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3"
    "\uff01-\uffee]"
)
_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BOM_BYTES = 2


class _Encoding(NamedTuple):
    """An encoding of East Asian texts."""

    name: str
    codec: str
    frequent: re.Pattern[bytes]
    """Pattern of the characters that are frequent in the encoding."""
    least: int = 1
    """Least number of such characters: bytes of Korean ones are all frequent hanzi, too."""


_EAST_ASIAN = (
    _Encoding("GB18030", "gb18030", re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")),
    _Encoding("Big5", "big5", re.compile(rb"[\xa1-\xc6].")),
    _Encoding("Shift-JIS", "cp932", re.compile(rb"[\x81-\x97].")),
    _Encoding("EUC-KR", "cp949", re.compile(rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]"), 20),
)


class UnknownEncodingError(ValueError):
    """A text is in no encoding that is known."""


def decode_text(data: bytes) -> tuple[str, str | None]:
    """Return a text, and the name of its encoding where that is not UTF-8.

    Raises:
        UnknownEncodingError: the encoding can't be told, or the data is no text.
    """
    codec = find_utf_16(data)
    if codec is not None:
        return data.decode(codec).removeprefix("\ufeff"), "UTF-16"
    return decode_line(data)


def decode_line(data: bytes) -> tuple[str, str | None]:
    """Return a line, or any part of a text, and the name of its encoding where not UTF-8.

    Raises:
        UnknownEncodingError: the encoding can't be told, or the data is no text.
    """
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        if _is_damaged_utf_8(data):
            raise UnknownEncodingError("is not UTF-8") from error
    best = max(_EAST_ASIAN, key=lambda one: (_rate(data, one), one.least))
    if _rate(data, best) >= _ENOUGH:
        return data.decode(best.codec), best.name
    if (latin := _decode(data, "cp1252")) is not None and _is_latin(latin):
        return latin, "Windows-1252"
    raise UnknownEncodingError("is not UTF-8, and what else can't be told: save it as that")


def decode_head(data: bytes) -> str:
    """Return the beginning of a text, whose last character may be cut."""
    for cut in range(4):
        try:
            return decode_text(data[: len(data) - cut])[0]
        except UnknownEncodingError:
            continue
    return data.decode("utf-8", "replace")


def find_codec(head: bytes) -> tuple[str, str] | None:
    """Return codec and name of a text's encoding by its beginning; None for UTF-8 or unknown."""
    codec = find_utf_16(head[: len(head) // 2 * 2])
    if codec is not None:
        return codec, "UTF-16"
    for cut in range(4):
        try:
            name = decode_line(head[: len(head) - cut])[1]
        except UnknownEncodingError:
            continue
        return None if name is None else (_CODECS[name], name)
    return None


def find_utf_16(data: bytes) -> str | None:
    """Return the codec of a text in UTF-16; None for any other text."""
    candidates = [_BOMS[data[:_BOM_BYTES]]] if data[:_BOM_BYTES] in _BOMS else []
    nuls = data.count(0)
    if not candidates and nuls:
        ascii_share = len(_ASCII_TEXT.findall(data)) / (len(data) - nuls or 1)
        if ascii_share < _ASCII_WITH_NULS or nuls / len(data) > _NULS_OF_LATIN:
            candidates = [*_BOMS.values()]
    return next((codec for codec in candidates if _is_utf_16(data, codec)), None)


def _is_utf_16(data: bytes, codec: str) -> bool:
    text = _decode(data, codec)
    if text is None:
        return False
    sample = text.removeprefix("\ufeff")[:_SAMPLE_CHARS]
    return len(_UTF_16_TEXT.findall(sample)) >= _PLAUSIBLE * len(sample)


def _is_damaged_utf_8(data: bytes) -> bool:
    """Check whether at least half of a text's special characters are UTF-8."""
    others, whole = _UTF_8_CHARACTER.subn(b"", data)
    return whole >= max(len(_NOT_ASCII.findall(others)), 1)


def _rate(data: bytes, encoding: _Encoding) -> float:
    """Rate from 0 to 1 how likely a text is in an encoding."""
    text = _decode(data, encoding.codec) or ""
    foreign = [char for char in text[:_SAMPLE_CHARS] if not char.isascii()]
    if len(foreign) < encoding.least:
        return 0
    encoded = (char.encode(encoding.codec) for char in foreign)
    frequent = sum(map(bool, map(encoding.frequent.fullmatch, encoded)))
    return frequent / len(foreign)


def _is_latin(text: str) -> bool:
    """Check whether a text is of a Latin script, and of no other script with the same bytes."""
    foreign = [char for char in text[:_SAMPLE_CHARS] if not char.isascii()]
    is_written = all(char.isalpha() or char in _TYPOGRAPHY for char in foreign)
    is_spoilt = "\0" in text or _NO_LETTER.search(text) is not None
    is_plain = len(foreign) <= _MOST_FOREIGN * len(text[:_SAMPLE_CHARS])
    return is_written and is_plain and not is_spoilt


def _decode(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


_CODECS = {**{one.name: one.codec for one in _EAST_ASIAN}, "Windows-1252": "cp1252"}
