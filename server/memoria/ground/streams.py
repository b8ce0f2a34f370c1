"""Files as streams of tokens: code and prose apart, without what formatters and typists change.

No language is parsed. Lines, indentation, brackets and the usual signs of comments are all that is
known, so a file of any language has some stream, and a new one needs no code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

PROSE_ENDINGS = frozenset((".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".org"))
_PROSE_NAMES = frozenset(("readme", "changelog", "contributing", "news", "authors", "history"))
_DASHED = frozenset((".sql", ".lua", ".hs", ".elm", ".adb", ".ads"))
_SEMICOLON = frozenset((".ini", ".lisp", ".clj", ".el", ".asm", ".scm"))
_PROGRAMS = frozenset(".py .pyi .rb .pl .php .lua .r .jl .ex .exs .erl .hs .elm .clj .el".split())
_BOTH = frozenset((".php", ".tf", ".hcl", ".proto", ".nix"))
_SLASHED = frozenset(
    ".c .h .cc .cpp .cxx .hpp .m .mm .cs .java .kt .kts .scala .swift .go .rs .js .jsx .mjs .cjs"
    " .ts .tsx .mts .cts .vue .svelte .dart .zig .css .scss .less .json .jsonc .json5 .groovy"
    " .gradle .sol .d .v .sv .fs".split()
)
_TOKEN = re.compile(r"[A-Za-z_$][\w$]*|\d[\w.]*|[^\W\d_]|[^\w\s]")
_PROSE_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:[.,]\d+)*|[^\W\d_a-zA-Z]|[-+%$€#@/=<>]")
_TRIPLE = ('"""', "'''")
_OPENED_BY = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->"}
"""What ends a comment of several lines, or a documenting string, by what begins it."""
_WITHIN = "within "
"""Before the quote that ends a string of several lines, which is code."""
_MODIFIERS = frozenset(("static", "inline", "export", "pub", "public"))
"""Words in front of what is defined that come and go when it moves to another file."""
_CODE_INDENT = 4
_CLOSERS = frozenset(")]}")
_HASH_CODE = re.compile(r"#\s*(?:include|define|undef|if|ifdef|ifndef|else|elif|endif|pragma|!|\[)")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')*`]*\s+(?=[\"'(*`]*[A-Z0-9\u4e00-\u9fff])|(?<=[。！？；])"
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+|\s*[|#>=]|\s*:\w+:|\s*!!!|\s*\.\. ")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_MATTER = "---"
"""Line before and after settings at the beginning of a document."""


class SourceLine(NamedTuple):
    """A line of a file, its code and its prose apart."""

    number: int
    indent: int
    code: str
    prose: str
    begins: bool
    """True if its prose begins anew rather than going on from the line before."""


@dataclass(slots=True)
class TokenStream:
    """Tokens in order, and where lines or sentences begin and end."""

    tokens: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    starts: set[int] = field(default_factory=set)
    """Places of tokens that begin a line or sentence."""

    def ends(self, place: int) -> bool:
        """Check whether a line or sentence ends before a place."""
        return place >= len(self.tokens) or place in self.starts

    def add(self, tokens: list[str], line: int) -> None:
        """Append the tokens of a line or sentence."""
        if tokens:
            self.starts.add(len(self.tokens))
            self.tokens += tokens
            self.lines += [line] * len(tokens)


def is_prose(path: str) -> bool:
    """Check whether a file is written for readers."""
    name = PurePosixPath(path.lower())
    return name.suffix in PROSE_ENDINGS or name.name in _PROSE_NAMES


def is_program(path: str) -> bool:
    """Check whether a file is of a programming language, rather than of settings or for readers."""
    ending = PurePosixPath(path.lower()).suffix
    is_settings = ending in {".json", ".jsonc", ".json5", ".css", ".scss", ".less"}
    return ending in _PROGRAMS or (ending in _SLASHED and not is_settings)


def code_tokens(text: str) -> list[str]:
    """List the tokens of code: quotes of one style, no semicolons, no comma before a closer."""
    found = [('"' if sign in "'`" else sign) for sign in _TOKEN.findall(text) if sign != ";"]
    while len(found) > 1 and found[0] in _MODIFIERS:
        del found[0]
    following = [*found[1:], ""]
    return [
        word
        for word, after in zip(found, following, strict=False)
        if word != "," or after not in _CLOSERS
    ]


def prose_tokens(text: str) -> list[str]:
    """List the words of prose in small letters; punctuation is none."""
    return _PROSE_TOKEN.findall(text.casefold())


def split_sentences(text: str) -> list[str]:
    """Split prose into its sentences."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def read_lines(path: str, text: str) -> list[SourceLine]:
    """List the lines of a file."""
    raw = text.split("\n")
    return list(_read_document(raw) if is_prose(path) else _read_code(path, raw))


def _read_document(raw: list[str]) -> Iterator[SourceLine]:
    """Yield the lines of a document; fenced and indented blocks are code."""
    is_fenced, after_blank, in_item, after_word = False, True, False, False
    matter = raw.index(_MATTER, 1) if raw[0] == _MATTER and _MATTER in raw[1:] else -1
    for number, line in enumerate(raw):
        indent = measure_indent(line)
        if _FENCE.match(line):
            is_fenced = not is_fenced
            yield SourceLine(number, indent, "", "", begins=True)
            continue
        is_item = _ITEM.match(line) is not None
        if line.strip():
            in_item = is_item or (in_item and indent > 0)
        is_code = (
            is_fenced
            or number <= matter
            or (indent >= _CODE_INDENT and not in_item and not is_item)
        )
        is_word = len(line.split()) == 1
        begins = after_blank or is_item or (is_word and after_word)  # a list, such as of packages
        if is_code:
            yield SourceLine(number, indent, line.strip(), "", begins=True)
        else:
            yield SourceLine(number, indent, "", line.strip(), begins=begins)
        after_blank = not line.strip() or is_code or line.lstrip().startswith("#")
        after_word = is_word


def _read_code(path: str, raw: list[str]) -> Iterator[SourceLine]:
    """Yield the lines of code, comments and documenting strings as prose."""
    marks = _list_marks(path)
    closer = ""
    before = -2
    for number, line in enumerate(raw):
        code, prose, closer = _part_line(line, closer, marks)
        begins = number != before + 1 or bool(code) or _ITEM.match(prose) is not None
        if prose:
            before = number
        yield SourceLine(number, measure_indent(line), code, prose, begins=begins)


def _list_marks(path: str) -> tuple[str, ...]:
    """Return the signs that begin a comment in a file, by its ending."""
    ending = PurePosixPath(path.lower()).suffix
    if ending in _DASHED:
        return ("--",)
    if ending in _SEMICOLON:
        return (";", "#")
    if ending in _SLASHED:
        return ("//",)
    return ("#", "//") if ending in _BOTH else ("#",)


def _part_line(line: str, closer: str, marks: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the code and the prose of a line, and what ends what goes on after it."""
    stripped = line.strip()
    if closer.startswith(_WITHIN):
        return stripped, "", "" if stripped.count(closer.removeprefix(_WITHIN)) % 2 else closer
    if closer:
        inside, found, rest = stripped.partition(closer)
        return rest.strip(), inside.strip("*/# ").strip(), "" if found else closer
    for opener, end in _OPENED_BY.items():
        if stripped.lstrip("rRbBuUfF").startswith(opener):
            said, found, rest = stripped.partition(opener)[2].partition(end)
            return rest.strip(), said.strip("*! ").strip(), "" if found else end
    place = _find_comment(stripped, marks)
    if place is None:
        odd = next((quote for quote in _TRIPLE if stripped.count(quote) % 2), None)
        return stripped, "", "" if odd is None else _WITHIN + odd
    code, opened = stripped[:place], stripped[place:]
    if not opened.startswith("/*"):
        return code.strip(), opened.lstrip("/#-;!* ").strip(), ""
    said, found, rest = opened[2:].partition("*/")
    return (code + rest).strip(), said.strip("*! ").strip(), "" if found else "*/"


def _find_comment(line: str, marks: tuple[str, ...]) -> int | None:
    """Return where the comment of a line begins."""
    quote = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and line[place - 1] != "\\" else quote
        elif sign in '"`' or (sign == "'" and "'" in line[place + 1 :] and _opens(line, place)):
            quote = sign
        elif place == 0 or line[place - 1].isspace():
            rest = line[place:]
            if rest.startswith("/*"):
                return place
            if rest.startswith(marks) and not (place == 0 and _HASH_CODE.match(rest)):
                return place
    return None


def _opens(line: str, place: int) -> bool:
    """Check whether an apostrophe opens a string rather than standing within a word."""
    return place == 0 or not line[place - 1].isalnum()


def measure_indent(line: str) -> int:
    """Return how far a line is indented, a tab for four."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


@dataclass(frozen=True, slots=True)
class TokenStreams:
    """Code and prose of a file."""

    code: TokenStream
    prose: TokenStream


def read_streams(lines: list[SourceLine]) -> TokenStreams:
    """Return the streams of a file."""
    code, prose = TokenStream(), TokenStream()
    for line in lines:
        code.add(code_tokens(line.code), line.number)
    for number, _, text in read_paragraphs(lines):
        for sentence in split_sentences(text):
            prose.add(prose_tokens(sentence), number)
    if code.tokens:
        _drop_commas(code)
    return TokenStreams(code, prose)


def _drop_commas(stream: TokenStream) -> None:
    """Drop commas at the end of a line that stand before a closer of the next one."""
    kept: list[str] = []
    lines: list[int] = []
    starts: set[int] = set()
    for place, word in enumerate(stream.tokens):
        follows = stream.tokens[place + 1] if place + 1 < len(stream.tokens) else ""
        if word == "," and follows in _CLOSERS:
            continue
        if place in stream.starts:
            starts.add(len(kept))
        kept.append(word)
        lines.append(stream.lines[place])
    stream.tokens, stream.lines, stream.starts = kept, lines, starts


def read_paragraphs(lines: list[SourceLine]) -> list[tuple[int, int, str]]:
    """List (first line, last line, text) of the paragraphs, items, rows and comments of a file."""
    found: list[tuple[int, int, str]] = []
    is_open = False
    for line in lines:
        if not line.prose:
            is_open = False
        elif is_open and not line.begins:
            number, _, text = found[-1]
            joined = text.endswith(("-",)) or not (text[-1].isascii() or line.prose[0].isascii())
            found[-1] = number, line.number, f"{text}{'' if joined else ' '}{line.prose}"
        else:
            found.append((line.number, line.number, line.prose))
            is_open = True
        if line.prose and line.code:
            is_open = False
    return found
