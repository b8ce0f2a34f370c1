"""How a memory stands in a core file: one line, and a mark at its end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memoria.lifecycle.core.parse import (
    BY_CHAT,
    BY_FILE,
    PUT_ASIDE,
    TAKEN_OUT,
    digest,
    fold,
    strip_label,
)
from memoria.model.core import (
    CONTRADICTED,
    NOT_REMEMBERED,
    OWN_COMMENT,
    CoreLine,
    CoreMemory,
    EditConflict,
)
from memoria.text.budget import estimate_tokens

_SHORTEST = 8
_LONGER = 4
_COMMENT = "<!--"
_INERT_COMMENT = "‹!--"


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """A line that we write, and the row that records it."""

    line: CoreLine
    text: str

    @property
    def tokens(self) -> int:
        """The tokens that the line takes."""
        return estimate_tokens(self.text + "\n")


def render_text(content: str) -> str:
    """A wording in one line, without anything that could be taken for a mark."""
    return strip_label(fold(content).replace(_COMMENT, _INERT_COMMENT))


def render_line(
    memory: CoreMemory, mark: str, label: str = "", *, is_contradicted: bool = False
) -> RenderedLine:
    """The line of a memory."""
    said = render_text(memory.content)
    line = CoreLine(memory.id, mark, digest(said), memory.version_n)
    behind = CONTRADICTED if is_contradicted else ""
    return RenderedLine(line, f"- {label}{said}{behind} <!-- {mark} -->")


def render_dispute(dispute: EditConflict, ends: Mapping[str, str]) -> list[RenderedLine]:
    """The two lines of a conflict: the user's wording and the other one."""
    other = BY_CHAT if dispute.against_is_active else PUT_ASIDE
    return [
        render_line(dispute.user_edit, f"c:{ends[dispute.user_edit.id]}", BY_FILE),
        render_line(dispute.against, f"c:{ends[dispute.against.id]}", other),
    ]


def render_question(memory: CoreMemory, ends: Mapping[str, str]) -> RenderedLine:
    """The line of a memory that the user took out, and that is kept until this is confirmed."""
    return render_line(memory, f"d:{ends[memory.id]}", TAKEN_OUT)


def render_head(count: int, total: int, rules_left_out: int = 0) -> str:
    """The head line: how many memories are shown, where the others are, how to edit the file.

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
    return f"{told}: {rules} of them {are} (`memoria list --types rule`)"


def render_note() -> str:
    """The line that explains what to do about conflicts."""
    return f"Delete the line that is wrong; move up what is to stay after all. {OWN_COMMENT}"


def render_refusal(reason: str) -> str:
    """The line below one of the user's that says why it is no memory."""
    return f"{NOT_REMEMBERED}{render_text(reason)} {OWN_COMMENT}"


def render_secret_note() -> str:
    """What stands in the place of a line that held a secret; from then on it is the user's own."""
    return "> A line here held a secret. It is remembered without it, and no longer shown."


def mark_ends(ids: Iterable[str], base: Iterable[CoreLine]) -> dict[str, str]:
    """The end of each id, as its mark shows it; longer where two ids end alike."""
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
