"""A judge of HTML: names what in a page is not Memoria's own, and what is not well formed."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from memoria.language.reading.fences import show_invisible

MARK = "zqx"
"""Stands in each hostile text where it would be the name of an element or an attribute."""
TAGS = frozenset(
    "html head meta title link script body a header nav ul ol li details summary form label input "
    "button main p h1 h2 h3 h4 footer table caption thead tbody tfoot tr th td time div span em "
    "strong small code pre mark del ins q blockquote cite dl dt dd section article aside figure "
    "figcaption select option optgroup textarea fieldset legend svg g line path rect circle "
    "ellipse text tspan desc br hr img picture output meter progress abbr kbd bdi template".split()
)
"""Elements that a page may have."""
_EMPTY = frozenset("meta link input br hr img".split())
_NO_CLOSE_NEEDED = frozenset("line path rect circle ellipse".split())
"""SVG's own, which may close themselves."""
_ADDRESSES = frozenset("href src action formaction poster xlink:href data cite".split())
_TYPED_BY_USER = frozenset({"textarea", "input"})
"""Elements that hold a text for its user to change, which must stay as it is."""
_SCRIPT = "/ui/static/"
_NOT_SHOWN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


class PageJudge(HTMLParser):
    """Reads a page and collects its faults."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.texts: list[str] = []
        """All that stands between elements, in order."""
        self.forms: list[str] = []
        """Addresses to which forms are sent with POST."""
        self.links: list[str] = []
        self.titles = 0
        self.headings = 0
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judge an element that begins."""
        if tag not in TAGS:
            self.faults.append(f"an element <{tag[:40]}>")
        for name, value in attrs:
            self.faults += _judge_attribute(tag, name, value or "")
        given = dict(attrs)
        if len(given) != len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        if tag == "script" and not (given.get("src") or "").startswith(_SCRIPT):
            self.faults.append("a script that is not a file of the viewer")
        if tag == "form" and (given.get("method") or "").lower() == "post":
            self.forms.append(given.get("action") or "")
        if tag == "a":
            self.links.append(given.get("href") or "")
        self.titles += tag == "title" and "svg" not in self._open
        self.headings += tag == "h1"
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judge an element that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag in _NO_CLOSE_NEEDED:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """See that what ends is what began last."""
        if tag in _EMPTY:
            return
        last = self._open.pop() if self._open else "nothing"
        if last != tag:
            self.faults.append(f"</{tag}> where {last} is open")

    def handle_data(self, data: str) -> None:
        """Judge a text."""
        within = self._open[-1] if self._open else ""
        if within == "script" and data.strip():
            self.faults.append("a script within the page")
        if within not in _TYPED_BY_USER and show_invisible(data) != data:
            self.faults.append(f"invisible characters in {data[:60]!r}")
        if within not in _TYPED_BY_USER and _NOT_SHOWN.search(data):
            self.faults.append(f"control characters in {data[:60]!r}")
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        """Name a comment: pages have none, so a text has brought it."""
        self.faults.append(f"a comment {data[:40]!r}")

    def handle_pi(self, data: str) -> None:
        """Name a processing instruction, which pages have none of."""
        self.faults.append(f"an instruction {data[:40]!r}")

    def unknown_decl(self, data: str) -> None:
        """Name a declaration, which pages have none of."""
        self.faults.append(f"a declaration {data[:40]!r}")

    def end(self) -> list[str]:
        """Return all faults of a page that was read to its end."""
        self.close()
        if self._open:
            self.faults.append(f"never closed: {self._open}")
        if (self.titles, self.headings) != (1, 1):
            self.faults.append(f"{self.titles} titles and {self.headings} headings")
        return self.faults


def _judge_attribute(tag: str, name: str, value: str) -> Iterator[str]:
    if MARK in name or not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9:-]*", name):
        yield f"an attribute {name[:40]!r} of <{tag}>"
    if name.startswith("on"):
        yield f"a handler {name} of <{tag}>"
    if name in ("style", "srcdoc", "ping", "background", "is", "nonce"):
        yield f"an attribute {name} of <{tag}>"
    if name in _ADDRESSES and not _is_own(value):
        yield f"<{tag} {name}={value[:60]!r}>"
    if tag == "meta" and name == "http-equiv" and value != "refresh":
        yield f"<meta http-equiv={value!r}>"
    is_typed = tag in _TYPED_BY_USER and name == "value"
    if not is_typed and show_invisible(value) != value:
        yield f"invisible characters in {name} of <{tag}>"


def _is_own(address: str) -> bool:
    """Return whether an address leads nowhere but into the viewer."""
    if address.startswith("#"):
        return True
    if not re.fullmatch(r"/ui(?:[/?#][\x21-\x7e]*)?", address):
        return False
    parts = urlsplit(address)
    steps = [unquote(step) for step in parts.path.split("/")]
    return not (parts.scheme or parts.netloc or ".." in steps or "//" in parts.path)


def judge_page(html: str) -> PageJudge:
    """Read a page; its faults are those that `end` has found."""
    judge = PageJudge()
    judge.feed(html)
    judge.end()
    return judge
