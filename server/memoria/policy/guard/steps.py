"""Steps of a project's record: what was said by the user, and each call with how it ended."""

import re
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from memoria.bare.guard import Shape, read_shapes
from memoria.bare.shell_line import read_commands
from memoria.bare.tool_calls import CallEdit, list_edits, shell_text
from memoria.language.calls.error import error_keys
from memoria.language.calls.outcome import Outcome, judge_outcome, outcome_of_command
from memoria.language.calls.output import read_output
from memoria.policy.guard.lifting import list_mended

_KEPT_OUTPUT = 4_000
_EXCUSED = re.compile(r"\|\|\s*(?:true|:|echo)\b|;\s*(?:true|:)\s*$")
_NO_ERROR = re.compile(r"\b(?:0|no) (?:errors?|fail\w*|warnings?)\b", re.IGNORECASE)
_ANY_ERROR = re.compile(
    r"\b(?:error|warn\w*|fail\w*|denied|refused|not found|fatal|heap|exception|abort\w*"
    r"|panic\w*)\b|失败|错误",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class GuardStep:
    """A step of a session."""

    id: str
    """Id of the turn."""
    at: int
    """UTC epoch milliseconds."""
    session: str
    said: str = ""
    """What the user said; empty for a call."""
    line: str = ""
    """The shell line that the call ran."""
    root: str = ""
    edits: tuple[CallEdit, ...] = ()
    outcome: Outcome = Outcome.UNKNOWN
    output: str = ""
    ends: tuple[Outcome, ...] = ()
    """How each command of the line ended."""

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The commands of the line."""
        return tuple(read_shapes(self.line, self.root)) if self.line else ()

    @cached_property
    def added(self) -> str:
        """Text that the edits put into files."""
        return "\n".join(one.new for one in self.edits)

    @cached_property
    def mended(self) -> tuple[frozenset[str], ...]:
        """Words of the sentences that say that something works or has changed."""
        return list_mended(self.said)

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """The stable parts of the error's lines."""
        return error_keys(self.output) if self.outcome is Outcome.FAILED else ()

    @property
    def failed(self) -> Shape | None:
        """The command that failed; None where it is unknown which."""
        ended = [one for one, end in zip(self.shapes, self.ends, strict=True) if end == "failed"]
        if ended:
            return ended[-1]
        is_failed = self.outcome is Outcome.FAILED
        return self.shapes[-1] if is_failed and self.shapes else None

    @cached_property
    def worked(self) -> tuple[Shape, ...]:
        """The commands that worked."""
        if self.outcome is not Outcome.WORKED:
            return ()
        is_hidden = "|" in self.line or _EXCUSED.search(self.line)
        if is_hidden and _ANY_ERROR.search(_NO_ERROR.sub("", self.output)):
            return ()
        return self.shapes


def read_step(
    turn: str,
    at: int,
    session: str,
    tool: str | None,
    args: JsonValue,
    result: JsonValue,
    *,
    said: str = "",
    root: str = "",
) -> GuardStep | None:
    """Return a turn as a step; None for a turn that the guard learns nothing of."""
    if said:
        return GuardStep(turn, at, session, said=said)
    line = shell_text(tool, args)
    edits = tuple(list_edits(args))
    if (line is None and not edits) or result is None:
        return None
    line = "" if edits or line is None else line
    commands = read_commands(line) if line else ()
    output = read_output(result)
    outcome = judge_outcome(commands, output)
    return GuardStep(
        *(turn, at, session, "", line, root, edits, outcome),
        output=output.text[-_KEPT_OUTPUT:],
        ends=tuple(outcome_of_command(one, outcome) for one in commands),
    )
