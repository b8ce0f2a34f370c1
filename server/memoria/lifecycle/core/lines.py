"""Lines of core files, one for each memory, with a mark at its end; and where the files are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memoria.disk.folders import project_file
from memoria.disk.home_files import read_seed, strip_marks
from memoria.disk.tenant_files import TenantFiles
from memoria.errors import UnusableFileError
from memoria.language.budget import cut_to_tokens, estimate_tokens, take_fitting
from memoria.lifecycle.core.document import (
    BY_CHAT,
    BY_FILE,
    PUT_ASIDE,
    TAKEN_OUT,
    digest,
    fold,
    short_digest,
    strip_label,
)
from memoria.model.core import (
    CONTRADICTED,
    CORE_FILES,
    NOT_REMEMBERED,
    OWN_COMMENT,
    SAID_LATER,
    CoreFile,
    CoreLine,
    CoreMemory,
    EditConflict,
)
from memoria.policy.core import SAID
from memoria.retrieval.lookup.newer import Newer
from memoria.store.rows.transaction import Transaction

_QUOTED_TOKENS = 60
_QUOTES_SHARE = 0.3
"""Share of a file's budget for quotes, so that they push few memories out."""
_SHORTEST = 8
_LONGER = 4
_COMMENT = "<!--"
_INERT_COMMENT = "‹!--"


class Quote(NamedTuple):
    """Request of the user of which no memory was made."""

    id: str
    """Id of the turn."""
    when: str
    """Day, and the name of another project if the words were said there."""
    content: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Additions beside the line of a memory: that it is contradicted, what was said later."""

    is_contradicted: bool = False
    newer: Newer | None = None
    """Later words, if they have no line of their own."""

    @property
    def marks(self) -> str:
        """Remark behind the words of the memory."""
        return CONTRADICTED * self.is_contradicted

    @property
    def below(self) -> str:
        """Line below the memory's, with what was said later."""
        newer = self.newer
        return "" if newer is None else f"  {SAID_LATER}{_render_words(newer)}"


ALONE = Beside()


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """Line of a memory as it is written, and the note of it that is stored."""

    line: CoreLine
    text: str
    beside: Beside = ALONE

    @property
    def below(self) -> str:
        """Text of the line below this line."""
        return self.beside.below

    @property
    def behind(self) -> str:
        """Text behind the memory's words for a reader who sees all on one line."""
        below = self.below
        return self.beside.marks + (strip_marks(f"\n{below}") if below else "")

    @property
    def tokens(self) -> int:
        """Number of tokens that the line takes, with what stands below it."""
        below = estimate_tokens(self.below + "\n") if self.below else 0
        return estimate_tokens(self.text + "\n") + below


def render_text(content: str) -> str:
    """Render a wording in one line, without anything that could be taken for a mark."""
    return strip_label(fold(content).replace(_COMMENT, _INERT_COMMENT))


def render_line(
    memory: CoreMemory, mark: str, label: str = "", beside: Beside = ALONE
) -> RenderedLine:
    """Render the line of a memory.

    Args:
        memory: what it says.
        mark: tells whose line it is.
        label: what stands before its words.
        beside: what is known of it from others.
    """
    said = render_text(memory.content)
    line = CoreLine(memory.id, mark, digest(said), memory.version_n)
    return RenderedLine(line, f"- {label}{said}{beside.marks} <!-- {mark} -->", beside)


def render_quote(quote: Quote) -> str:
    """Render the line of a quote that stands by itself."""
    return f"- {_render_words(quote)}"


def _render_words(said: Quote | Newer) -> str:
    """Render words as they were said, with their day; long ones are cut."""
    words = cut_to_tokens(render_text(said.content), _QUOTED_TOKENS)
    return f"{said.when}: “{words}” <!-- q:{said.id[-_SHORTEST:]} {short_digest(words)} -->"


def take_quotes(quotes: Sequence[Quote], tokens: int) -> list[str]:
    """Return the lines of the newest quotes that fit into their share of a file's budget."""
    lines = map(render_quote, quotes)
    return take_fitting(lines, _line_tokens, round(tokens * _QUOTES_SHARE) - quotes_tokens(["-"]))


def quotes_tokens(lines: Sequence[str]) -> int:
    """Count the tokens of quotes with their heading; 0 without quotes."""
    if not lines:
        return 0
    head = estimate_tokens(f"## {SAID}\n\n{render_quotes_note()}\n")
    return head + sum(map(_line_tokens, lines))


def _line_tokens(line: str) -> int:
    return estimate_tokens(f"{line}\n")


def render_dispute(dispute: EditConflict, ends: Mapping[str, str]) -> list[RenderedLine]:
    """Render the two lines of a conflict: the user's wording and the other one."""
    other = BY_CHAT if dispute.against_is_active else PUT_ASIDE
    return [
        render_line(dispute.user_edit, f"c:{ends[dispute.user_edit.id]}", BY_FILE),
        render_line(dispute.against, f"c:{ends[dispute.against.id]}", other),
    ]


def render_question(memory: CoreMemory, ends: Mapping[str, str]) -> RenderedLine:
    """Render the line that asks whether a memory whose line was deleted is to go."""
    return render_line(memory, f"d:{ends[memory.id]}", TAKEN_OUT)


def render_head(count: int, total: int, rules_left_out: int = 0) -> str:
    """Render the head line of a file: how many memories it shows, and how to edit it.

    Args:
        count: how many are shown.
        total: how many belong into the file.
        rules_left_out: of those for which there is no room, the rules.
    """
    left_out = _describe_left_out(total - count, rules_left_out) if total > count else ""
    return (
        f"{count} of {total} memories are shown{left_out}. Edit freely: a changed line corrects, a "
        f"deleted one archives, a new one below a heading is kept. {OWN_COMMENT}"
    )


def _describe_left_out(left_out: int, rules: int) -> str:
    told = f"; there is no room for {left_out}, which `memoria list` shows"
    if not rules:
        return told
    are = "is a rule" if rules == 1 else "are rules"
    return f"{told}: {rules} of them {are} (`memoria list --type rule`)"


def render_note() -> str:
    """Render the line that explains what to do about conflicts."""
    return f"Delete the line that is wrong; move up what is to stay after all. {OWN_COMMENT}"


def render_quotes_note() -> str:
    """Render the line that says what quotes are, and what to do about them."""
    return (
        "What you asked for in conversations. Put your words in a quote, and it is a memory of "
        f"yours; `memoria review` keeps one as it is, or sets it aside. {OWN_COMMENT}"
    )


def render_refusal(reason: str) -> str:
    """Render the note below a line of the user's that says why no memory was made of it."""
    return f"{NOT_REMEMBERED}{render_text(reason)} {OWN_COMMENT}"


def render_secret_note() -> str:
    """Render the line that replaces a user's line with a secret."""
    return "> A line here held a secret. It is remembered without it, and no longer shown."


def mark_ends(ids: Iterable[str], base: Iterable[CoreLine]) -> dict[str, str]:
    """Map each id to its end for the line's mark, longer where two ids end alike."""
    given = {line.memory_id: line.mark[2:] for line in base}
    used = set(given.values())
    for memory_id in dict.fromkeys(ids):
        if memory_id not in given:
            given[memory_id] = _free_end(memory_id.replace("-", ""), used)
            used.add(given[memory_id])
    return given


def _free_end(whole: str, used: set[str]) -> str:
    tried = (whole[-length:] for length in range(_SHORTEST, len(whole), _LONGER))
    return next((end for end in tried if end not in used), whole)


@dataclass(frozen=True, slots=True)
class CorePlace:
    """A core file, and the project whose memories stand in it."""

    file: CoreFile
    project: str | None = None
    """The only project whose memories stand in the file; None for memories seen everywhere."""

    @property
    def seed(self) -> str:
        """Text of the file before any memory is in it."""
        if self.project is None:
            return read_seed(self.file)
        return f"# MEMORY.md\n\n{head_of(self.project)}\nNothing is kept here yet.\n"

    def read(self, files: TenantFiles) -> bytes | None:
        """Return the content of the file; None if it is missing, or has only its first text.

        A link or a folder in its place is read as an empty file.
        """
        try:
            data = files.read(self.file)
        except UnusableFileError:  # `find_obstacle` says why, wherever the file is held back
            return b""
        return None if data == self.seed.encode() else data


HOME_PLACES = tuple(CorePlace(file) for file in CORE_FILES)


def head_of(project: str) -> str:
    """Return the line with which a project's file begins."""
    return f"What holds in the project {render_text(project)} alone."


def project_place(project: str) -> CorePlace:
    """Return the place of a project's file."""
    return CorePlace(project_file(project), project)


def list_places(tx: Transaction) -> list[CorePlace]:
    """List the places of all core files that a tenant has or may have, the home's first."""
    return [*HOME_PLACES, *map(project_place, tx.core.projects())]


def places_seen_from(project: str | None) -> Iterable[CorePlace]:
    """Return the places of the core files that are shown in a project."""
    return HOME_PLACES if project is None else (*HOME_PLACES, project_place(project))
