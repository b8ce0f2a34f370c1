"""Any history of conversation, edits by hand and nights: no word of the user's is ever lost."""

import re
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.databases import open_home
from tests.lifecycle.desk import Desk

from memoria.model import MemoryType, Validity

KINDS = st.sampled_from([MemoryType.FACT, MemoryType.RULE, MemoryType.GOAL])
GROUPS = st.sampled_from(["Rules", "Decisions and goals", "Facts and concepts", "Mine"])
"""Headings of ours, and one of the user's own."""


MARK = re.compile("<!-- [mcd]:")


class Histories(RuleBasedStateMachine):
    """A home with one file that is edited while its memories change."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        home = Path(self.folder.name)
        self.desk = Desk(open_home(home), home)
        self.ids: list[str] = []
        self.by_hand: set[str] = set()
        self.texts = (f"第{n}条: number {n} is so" for n in range(1000))

    def teardown(self) -> None:
        self.desk.store.close()
        self.folder.cleanup()

    @property
    def lines(self) -> list[str]:
        has_file = self.desk.files.exists("MEMORY.md")
        return self.desk.read().splitlines() if has_file else []

    @property
    def marked(self) -> list[int]:
        return [i for i, line in enumerate(self.lines) if MARK.search(line)]

    def write(self, lines: list[str]) -> None:
        self.desk.put("MEMORY.md", "\n".join(lines))

    def give_up(self, line: str) -> None:
        """The user takes back what they wrote in a line."""
        self.by_hand = {text for text in self.by_hand if text not in line}

    @rule(kind=KINDS)
    def say(self, kind: MemoryType) -> None:
        self.ids.append(self.desk.say(next(self.texts), kind))

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), action=st.sampled_from(["correct", "archive", "restore"]))
    def revise(self, data: st.DataObject, action: str) -> None:
        memory_id = data.draw(st.sampled_from(self.ids))
        content = next(self.texts) if action == "correct" else None
        self.desk.chat.revise(memory_id, action, content)  # type: ignore[arg-type]

    @precondition(lambda self: self.marked)
    @rule(data=st.data())
    def change_a_line(self, data: st.DataObject) -> None:
        lines, text = self.lines, next(self.texts)
        i = data.draw(st.sampled_from(self.marked))
        self.give_up(lines[i])
        lines[i] = f"- {text} {lines[i][lines[i].rindex('<!--') :]}"
        self.write(lines)
        self.by_hand.add(text)

    @precondition(lambda self: self.marked)
    @rule(data=st.data())
    def delete_a_line(self, data: st.DataObject) -> None:
        lines = self.lines
        gone = lines.pop(data.draw(st.sampled_from(self.marked)))
        self.give_up(gone)
        self.write(lines)

    @precondition(lambda self: self.lines)
    @rule(group=GROUPS)
    def add_a_line(self, group: str) -> None:
        text = next(self.texts)
        lines = [*self.lines, f"## {group}"] if f"## {group}" not in self.lines else self.lines
        lines.insert(lines.index(f"## {group}") + 1, f"- {text}")
        self.write(lines)
        self.by_hand.add(text)

    @rule()
    def night(self) -> None:
        report = self.desk.night(tokens=100_000)
        assert not report.unreadable
        assert not report.late
        assert not {"refused", "changed"} & set(report.effects)
        again = self.desk.night(tokens=100_000)
        assert (again.edits, again.written) == ([], [])
        shown = self.desk.read() if self.lines else ""
        for memory in self.desk.all():
            if memory.validity is Validity.ACTIVE:
                assert shown.count(memory.content) == 1

    @invariant()
    def what_was_written_by_hand_is_in_the_file_or_in_the_store(self) -> None:
        kept = {version.content for memory in self.desk.all() for version in memory.versions}
        file = "\n".join(self.lines)
        assert [text for text in self.by_hand if text not in kept and text not in file] == []


Histories.TestCase.settings = settings(max_examples=20, stateful_step_count=12, deadline=None)
test_no_history_loses_a_word = Histories.TestCase
