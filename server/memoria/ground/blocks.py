"""Parts of a file that can carry a statement: logical lines, sentences, and what they stand in.

A logical line goes on while a bracket is open and where the next line can only be its continuation,
so a call that a formatter breaks into five lines is one part.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from memoria.ground.anchors import list_terms
from memoria.ground.streams import (
    SourceLine,
    TokenStreams,
    code_tokens,
    prose_tokens,
    read_lines,
    read_paragraphs,
    read_streams,
    split_sentences,
)

_MOST_JOINED = 80
_MOST_AS_ONE = 12
_FEWEST_ITEMS = 2
_OPENERS, _CLOSERS = "([{", ")]}"
_GOES_ON = re.compile(r"(?:\.[A-Za-z_]|\?\.|&&|\|\||\|>|[+*?:]\s|=>|-[A-Za-z-]|\band\b|\bor\b)")
_LONE = re.compile(r"\w+\s*\($")
"""A list of its own, such as Go's `const (`, each of whose lines is one."""
_GENERIC = re.compile(r"<[^<>()]*>")
_CALLED = re.compile(r"([A-Za-z_$][\w$.]*[!?]?)\s*\(")
_NAMED = re.compile(r"[\"']?([\w$@./-]*[A-Za-z_\u4e00-\u9fff][\w$@./-]*)[\"']?\s*(?:$|[:{=?(<])")
_SET = re.compile(
    r"^\W*(?:[A-Za-z_][\w<>\[\]*&]*\s+)*?[\"']?([A-Za-z_$][\w$.-]*)[\"']?\s*"
    r"(?::\s*[\w\[\]<>,.&' |*]+)?(?:[:?+|]*=(?![=>])|:(?![:=]))"
)
_DEFINED = re.compile(r"^#\s*define\s+(\w+)")
_CREATED = re.compile(
    r"(?i)^create\s+(?:or\s+replace\s+)?(?:(?:unique|materialized|temp|temporary)\s+)?"
    r"(?:table|index|view|function|procedure|trigger|type|sequence|schema|domain|policy|extension)"
    r"\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?([\w.\"`]+)"
)
_COLUMN = re.compile(
    r"(?i)^(?!(?:add|alter|and|as|begin|create|delete|do|drop|end|for|from|grant|group|having|if|"
    r"insert|join|left|on|or|order|primary|references|revoke|select|set|update|where|with)\b)"
    r"[\"`]?([A-Za-z_]\w*)[\"`]?\s+[A-Za-z]"
)
_DO = re.compile(r"\s+do(?:\s*\|[^|]*\|)?\s*$")
_GIVEN = re.compile(r"[\w$.]+[!?]?(?:\s*\(\s*|\s+)(?:([\"'])(.+?)\1|:(\w+))")
"""What a function is given first, as `scope "/admin" do`: it tells such blocks apart."""
_OUTER_NAME = re.compile(r"\b[A-Z][A-Z\d]*_[A-Z\d_]+\b")
_SECTION = re.compile(r"^\[+([^\]\[]+)\]+\s*$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_TYPE = re.compile(
    r"\b(?:class|struct|interface|enum|trait|type|module|namespace|record|object|impl)\s+"
    r"([A-Za-z_]\w*)"
)
_CONTROL = frozenset(
    "case if for while switch match catch return func fn def else elif with when until unless not"
    " and or assert await sizeof typeof new print range".split()
)
_LONGEST_NAME = 60
SYMBOL_JOINT = " > "


@dataclass(frozen=True, slots=True)
class FilePart:
    """A logical line of code or a sentence of prose."""

    first: int
    last: int
    text: str
    tokens: tuple[str, ...]
    is_prose: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A header and the lines that stand in it."""

    name: str
    first: int
    last: int
    indent: int


class SourceFile:
    """A file taken apart; what is not asked for is not computed."""

    def __init__(self, path: str, text: str) -> None:
        """Take a file apart.

        Args:
            path: its path, whose ending tells code from prose.
            text: its content.
        """
        self.path = path
        self.lines: list[SourceLine] = read_lines(path, text)
        self.packed = ["".join(line.split()) for line in text.split("\n")]
        """Its lines without white space."""

    @cached_property
    def streams(self) -> TokenStreams:
        """Its tokens in order."""
        return read_streams(self.lines)

    @cached_property
    def parts(self) -> tuple[FilePart, ...]:
        """All parts, in the order of their lines."""
        found = [*_list_code(self.lines), *_list_prose(self.lines)]
        return tuple(sorted(found, key=lambda part: part.first))

    @cached_property
    def terms(self) -> tuple[frozenset[str], ...]:
        """Terms of each part."""
        return tuple(list_terms(part.text) for part in self.parts)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, outer ones before those within."""
        return tuple(_list_blocks(self.lines))

    @cached_property
    def definitions(self) -> dict[str, tuple[int, ...]]:
        """Lines at which each name is defined or set."""
        found: dict[str, tuple[int, ...]] = {}
        for block in self.blocks:
            found[block.name] = (*found.get(block.name, ()), block.first)
        for part in self.parts:
            name = None if part.is_prose else find_set(part.text)
            if name is not None and part.first not in found.get(name, ()):
                found[name] = (*found.get(name, ()), part.first)
        return found

    def find_blocks(self, number: int) -> list[Block]:
        """List the blocks around a line, outermost first, without one that it heads."""
        return [block for block in self.blocks if block.first < number <= block.last]

    def find_headed(self, number: int) -> list[Block]:
        """List the blocks that a line heads."""
        return [block for block in self.blocks if block.first == number]

    def name_place(self, number: int) -> str:
        """Return the names of the two outermost blocks around a line."""
        names = [block.name for block in self.find_blocks(number) if block.name]
        return SYMBOL_JOINT.join(names[:2])

    def find_place(self, symbol: str) -> list[Block]:
        """List the blocks that have a place's names."""
        wanted = symbol.split(SYMBOL_JOINT)
        return [
            block
            for block in self.blocks
            if block.name == wanted[-1]
            and [one.name for one in self.find_blocks(block.first) if one.name][:1] == wanted[:-1]
        ]


def find_set(text: str) -> str | None:
    """Return the name that a line of code gives a value."""
    found = _DEFINED.match(text) or _SET.match(_GENERIC.sub("", text))
    name = None if found is None else found[1]
    return None if name is None or name in _CONTROL else name


def list_names_set(path: str, text: str) -> list[str]:
    """List the names that a line of code gives a value, and those that it takes from outside."""
    set_name = find_set(text)
    created = _CREATED.match(text) or (_COLUMN.match(text) if path.endswith(".sql") else None)
    names = [set_name or "", created[1] if created else "", *_OUTER_NAME.findall(text)]
    return [*dict.fromkeys(name for name in names if name)]


def find_name(text: str) -> str:
    """Return the name of what a line heads; empty if it has none."""
    return _find_name(text)[:_LONGEST_NAME]


def _find_name(text: str) -> str:
    section = _SECTION.match(text) or _CREATED.match(text)
    if section is not None:
        return section[1].strip(" \"'`")
    plain = _GENERIC.sub("", text)
    head = plain.partition("=")[0] if _SET.match(plain) else plain
    typed = _TYPE.search(head.partition("(")[0])
    if typed is not None or _is_control(head):
        return "" if typed is None else typed[1]
    head = _DO.sub("", head)
    called: list[str] = [name for name in _CALLED.findall(head) if name not in _CONTROL]
    quoted = re.findall(r"\"([^\"]+)\"", head)
    given = _GIVEN.match(head)
    if len(quoted) > 1 and not called:
        return " ".join(quoted)
    if given is not None or called:
        return called[0] if given is None else given[2] or given[3]
    named = [find_set(text) or "", *reversed(_NAMED.findall(head))]
    return next((name for name in named if name), "")


def _is_control(text: str) -> bool:
    words = re.findall(r"\w+", text)
    return bool(words) and words[0] in _CONTROL - {"def", "fn", "func"}


def _list_code(lines: list[SourceLine]) -> Iterator[FilePart]:
    """Yield the logical lines."""
    begun: list[SourceLine] = []
    depth: list[str] = []
    for line in lines:
        if not line.code:
            if begun and not depth:
                yield from _join_or_part(begun)
                begun = []
            continue
        goes_on = begun and len(begun) < _MOST_JOINED
        if goes_on and not depth:
            goes_on = bool(_GOES_ON.match(line.code)) and line.indent > begun[0].indent
            goes_on = goes_on or bool(re.search(r"(?:\\|=)$", begun[-1].code))
        if begun and not goes_on:
            yield from _join_or_part(begun)
            begun, depth = [], []
        begun.append(line)
        depth = _count_open(line.code, depth)
        if depth and (depth[-1] == "{" or _LONE.match(line.code)):
            yield from _join_or_part(begun)
            begun, depth = [], []
    if begun:
        yield from _join_or_part(begun)


def _join_or_part(lines: list[SourceLine]) -> Iterator[FilePart]:
    """Yield lines as one part, or each for itself if they list items or are many."""
    items = sum(line.code.endswith(",") for line in lines[1:])
    is_list = lines[0].code[-1] in _OPENERS and items >= _FEWEST_ITEMS
    if len(lines) > _MOST_AS_ONE or is_list:
        yield from (_join([line]) for line in lines)
    else:
        yield _join(lines)


def _count_open(code: str, depth: list[str]) -> list[str]:
    """Return the brackets that are open after a line, strings passed over."""
    stack, quote = [*depth], ""
    for place, sign in enumerate(code):
        if quote:
            quote = "" if sign == quote and code[place - 1] != "\\" else quote
        elif sign in '"`' or (sign == "'" and "'" in code[place + 1 :]):
            quote = sign
        elif sign in _OPENERS:
            stack.append(sign)
        elif sign in _CLOSERS and stack:
            stack.pop()
    return stack


def _join(lines: list[SourceLine]) -> FilePart:
    text = " ".join(line.code for line in lines)
    return FilePart(
        lines[0].number, lines[-1].number, text, tuple(code_tokens(text)), is_prose=False
    )


def _list_prose(lines: list[SourceLine]) -> Iterator[FilePart]:
    for first, last, text in read_paragraphs(lines):
        for sentence in split_sentences(text):
            tokens = tuple(prose_tokens(sentence))
            if tokens:
                yield FilePart(first, last, sentence, tokens, is_prose=True)


def _list_blocks(lines: list[SourceLine]) -> list[Block]:
    """List blocks: a line with what is indented below it, sections, and headings of documents."""
    found = [*_list_indented(lines), *_list_sections(lines)]
    return sorted(found, key=lambda block: (block.first, -block.last))


def _list_indented(lines: list[SourceLine]) -> Iterator[Block]:
    coded = [line for line in lines if line.code]
    opened: list[tuple[SourceLine, int]] = []
    for place, line in enumerate(coded):
        is_closer = line.code[0] in _CLOSERS or line.code in {"{", "end", "fi", "done"}
        while opened and (
            line.indent < opened[-1][0].indent
            or (line.indent == opened[-1][0].indent and not is_closer)
        ):
            header, _ = opened.pop()
            yield Block(
                find_name(header.code), header.number, coded[place - 1].number, header.indent
            )
        if line.code == "{":
            continue
        following = coded[place + 1] if place + 1 < len(coded) else None
        heads = following is not None and (
            following.indent > line.indent or (following.code == "{" and line.code[-1:] != ";")
        )
        if heads and not is_closer:
            opened.append((line, place))
    for header, _ in reversed(opened):
        yield Block(find_name(header.code), header.number, coded[-1].number, header.indent)


def _list_sections(lines: list[SourceLine]) -> Iterator[Block]:
    heads: list[tuple[int, int, str]] = []
    for line in lines:
        section = _SECTION.match(line.code) if line.indent == 0 else None
        heading = _HEADING.match(line.prose)
        if section is not None:
            heads.append((line.number, 1, section[1].strip(" \"'")))
        elif heading is not None and not line.code:
            heads.append((line.number, len(heading[1]), heading[2].strip()))
    for place, (number, level, name) in enumerate(heads):
        later = [other for other, depth, _ in heads[place + 1 :] if depth <= level]
        last = (later[0] if later else len(lines)) - 1
        if level > 1 or _SECTION.match(lines[number].code):
            yield Block(name[:_LONGEST_NAME], number, last, 0)
