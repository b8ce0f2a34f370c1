"""Weighing: what speaks for and against a memory, and what follows for the confidence in it."""

from typing import Any, Literal

from memoria.model.base import Value, write_document

Speaker = Literal["user", "agent", "assistant", "tool", "document", "nobody"]
"""Whose word a memory is: `agent` where an agent stated it, `nobody` where its words are no longer
on record."""
Tendency = Literal["up", "down", "same"]
"""Direction in which the evidence moves confidence."""
WeighingReason = Literal[
    "confirmed", "newer", "source", "ground", "repetition", "contradiction", "none"
]
"""Kind of evidence that decides: the user's confirmation, the user's later word, who said it, the
files it speaks of, sessions that say it again, or another memory that says otherwise."""
FileState = Literal["unchanged", "changed", "gone"]

_SAID_BY: dict[Speaker, tuple[str, str]] = {
    "user": ("the user", "用户"),
    "agent": ("an agent", "智能体"),
    "assistant": ("the assistant alone", "只有助手"),
    "tool": ("a tool", "工具"),
    "document": ("an imported document", "导入的文档"),
}
_FILES: dict[FileState, tuple[str, str]] = {
    "unchanged": ("its files are unchanged", "所说的文件没有变"),
    "changed": ("its files have changed since", "所说的文件此后改过"),
    "gone": ("its files are gone", "所说的文件已经没有了"),
}
_CONFIRMED = ("the user confirmed it", "用户确认过")
_DISPUTED = ("another memory says otherwise", "另一条记忆说法不同")
_NOT_PLAINLY = (", but asked, quoted or doubted it", "，但只是询问、引用或存疑")
_UNRECORDED = ("its words are no longer on record", "原话已不在记录里")
_NOTHING = ("nothing", "无")


class Weighing(Value):
    """Evidence for and against a memory, counted."""

    tendency: Tendency
    reason: WeighingReason
    said_by: Speaker
    sessions: int
    """Number of sessions in which whoever said it says it plainly; however often in each."""
    days: int
    is_confirmed: bool = False
    is_disputed: bool = False
    files: FileState | None = None
    """State of the files that it speaks of; None if it speaks of none, or nobody has looked."""

    @property
    def why(self) -> str:
        """Line on what speaks for and against it."""
        found = (_join(one, 0, ", ") for one in (self._list_for(), self._list_against()))
        return "for: {}; against: {}".format(*found)

    @property
    def why_chinese(self) -> str:
        """The same line in Chinese."""
        found = (_join(one, 1, "、") for one in (self._list_for(), self._list_against()))
        return "支持：{}；反对：{}".format(*found)

    def _list_for(self) -> list[tuple[str, str]]:
        found = [_CONFIRMED] if self.is_confirmed else []
        if self.said_by in _SAID_BY and self.said_by != "assistant":
            found.append(self._describe_saying())
        return found + ([_FILES["unchanged"]] if self.files == "unchanged" else [])

    def _list_against(self) -> list[tuple[str, str]]:
        found = [_FILES[self.files]] if self.files in ("changed", "gone") else []
        if self.said_by == "assistant":
            found.append(self._describe_saying())
        if self.said_by == "nobody":
            found.append(_UNRECORDED)
        return found + ([_DISPUTED] if self.is_disputed else [])

    def _describe_saying(self) -> tuple[str, str]:
        who, who_chinese = _SAID_BY[self.said_by]
        if self.sessions > 1:
            days = f"{self.days} days" if self.days > 1 else "one day"
            return (
                f"{who} said it in {self.sessions} sessions on {days}",
                f"{who_chinese}在 {self.sessions} 次会话、{self.days} 天里说过",
            )
        is_doubtful = self.said_by == "user" and not self.sessions
        doubt, doubt_chinese = _NOT_PLAINLY if is_doubtful else ("", "")
        return f"{who} said it{doubt}", f"{who_chinese}说过{doubt_chinese}"

    def _write_fields(self) -> dict[str, Any]:
        own = super()._write_fields()
        return write_document(**own, why=self.why, why_chinese=self.why_chinese)


def _join(phrases: list[tuple[str, str]], language: int, comma: str) -> str:
    return comma.join(one[language] for one in phrases or [_NOTHING])
