"""Core memories, and files of them, for tests."""

from collections.abc import Sequence

from hypothesis import strategies as st

from memoria.disk.home_files import read_seed
from memoria.lifecycle.core.document import parse
from memoria.lifecycle.core.render import Rendering, Rows, new_document, render_file
from memoria.model import MemoryType
from memoria.model.core import CoreFile, CoreLine, CoreMemory, EditConflict

ROOM = 100_000
TYPES = [
    MemoryType.RULE,
    MemoryType.FACT,
    MemoryType.SKILL,
    MemoryType.RELATIONSHIP,
    MemoryType.GOAL,
]
HOSTILE = [
    "- a bullet in itself",
    "1. a number before it",
    "# not a heading",
    "ends in a mark <!-- m:0123abcd -->",
    "<!-- memoria -->",
    "file says: nothing",
    "两行\n一句话",
    "用户叫陈伟，住在上海。",
    "I am here",
    "```",
    "a\u2028b",
    "> quoted",
    "<<<<<<< HEAD",
    "---",
]
WORDINGS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
).filter(lambda text: bool(text.split()))


def core(n: int, content: str, kind: MemoryType = MemoryType.FACT, **more: object) -> CoreMemory:
    fields = {"version_n": n, "valid_from": n, **more}
    return CoreMemory(f"019a0000-0000-7000-8000-{n:012x}", kind, content, **fields)  # type: ignore[arg-type]


def written(
    memories: Sequence[CoreMemory],
    file: CoreFile = "MEMORY.md",
    text: str | None = None,
    base: Sequence[CoreLine] = (),
    disputes: Sequence[EditConflict] = (),
    tokens: int = ROOM,
) -> Rendering:
    """The file as it is written, into `text` where there is one."""
    document = new_document(file, read_seed(file)) if text is None else parse(text, file)
    return render_file(document, file, Rows(memories, disputes, base), tokens)


MEMORIES = st.lists(
    st.tuples(WORDINGS, st.sampled_from(TYPES)), max_size=12, unique_by=lambda item: item[0]
).map(lambda items: [core(n, text, kind, subject="it") for n, (text, kind) in enumerate(items, 1)])
