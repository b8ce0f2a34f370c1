"""The documents as data: pages, code blocks, links, headings."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
README_ZH = ROOT / "README.zh.md"
DOCS = ROOT / "docs"
SERVER = ROOT / "server" / "memoria"

_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of code, and the comment right above it."""

    language: str
    code: str
    mark: str


@cache
def pages() -> tuple[Path, ...]:
    """Every page that people read: those at the root and those of the site."""
    return (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")))


@cache
def text_of(page: Path) -> str:
    """A page as it is written."""
    return page.read_text("utf-8")


def name_of(page: Path) -> str:
    """A page's path inside the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> Iterator[Block]:
    """The fenced blocks of one language, in their order."""
    for found in _FENCE.finditer(text_of(page)):
        if found["language"] == language:
            yield Block(language, found["code"], found["mark"] or "")


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def links(page: Path) -> Iterator[str]:
    """Where the links and pictures of a page lead."""
    for found in _LINK.finditer(re.sub(r"`[^`\n]*`", "", prose(page))):
        yield found[1]


@cache
def anchors(page: Path) -> frozenset[str]:
    """What can stand behind the # of a link to a page, as GitHub and the site both make it."""
    return frozenset(map(slug, _HEADING.findall(prose(page))))


def section(page: Path, anchor: str) -> str:
    """What stands below a heading until the next of its level or above, without fenced blocks."""
    text = prose(page)
    heading = next(h for h in re.finditer(r"(?m)^(#+) +(.+)$", text) if slug(h[2]) == anchor)
    return re.split(rf"(?m)^#{{1,{len(heading[1])}}} ", text[heading.end() :])[0]


def table_after(page: Path, mark: str) -> list[str]:
    """The code in the first cells of the table that follows some text."""
    part = text_of(page)
    part = part[part.index(mark) :]
    rows = part[: part.index("\n\n", part.index("|---"))]
    return re.findall(r"^\| `([^`]+)` \|", rows, re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor that GitHub and the site both make of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    letters = unicodedata.normalize("NFKC", plain).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", letters))


@cache
def files_of_tests() -> dict[str, list[str]]:
    """The files of each test, by its name, from what stands in them: none is imported."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("*.py")):
        for name in re.findall(r"def (test_\w+)", file.read_text("utf-8")):
            found.setdefault(name, []).append(name_of(file))
    return found
