"""Steps of a project's record: what was said by the user, and each call with how it ended."""

from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from memoria.bare.guard import EDIT, Act, read_acts
from memoria.bare.shell_line import Command, name_place, read_commands
from memoria.bare.tool_calls import CallEdit, list_edits, shell_text
from memoria.language.calls.error import error_keys, list_error_lines
from memoria.language.calls.outcome import Outcome, judge_outcome, outcome_of_command
from memoria.language.calls.output import read_output
from memoria.policy.guard.lifting import list_parts, list_telling, tells_change

_KEPT_OUTPUT = 4_000
_MENDERS = frozenset(
    f"do {one}"
    for one in (
        "install add up start restart stop kill pkill killall fuser link login cp mv ln mkdir set"
        " use override enable uninstall create init alias"
    ).split()
)
_WRITERS = frozenset(("echo", "printf", "cat", "tee", "sed", "config", "set"))


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
    acts: tuple[Act, ...] = ()
    edits: tuple[CallEdit, ...] = ()
    """Changes of files that worked, each with its place in the project."""
    written: str = ""
    """What an edit put into files; the line where it may have written into one."""
    outcome: Outcome = Outcome.UNKNOWN
    output: str = ""
    ends: tuple[Outcome, ...] = ()
    """How each command of the line ended."""

    @cached_property
    def error_text(self) -> str:
        """The lines of the output that tell of an error."""
        return "\n".join(list_error_lines(self.output)) if self.failure else ""

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """The stable parts of the lines that tell of an error."""
        return error_keys(self.output) if self.failure else ()

    @cached_property
    def failure(self) -> Act | None:
        """The command that failed; None where it is unknown which."""
        if self.outcome is not Outcome.FAILED or not self.ends:
            return None
        ended = [one for one, end in zip(self.acts, self.ends, strict=True) if end == "failed"]
        return (ended or self.acts)[-1]

    @property
    def successes(self) -> tuple[Act, ...]:
        """The commands that worked."""
        return self.acts if self.outcome is Outcome.WORKED and self.line else ()

    @cached_property
    def is_change(self) -> bool:
        """True if the user says in it that the machine has changed."""
        return tells_change(self.said)

    @cached_property
    def names(self) -> set[str]:
        """Names in what it wrote, but for plain words."""
        return list_telling((self.written,))

    @cached_property
    def repairs(self) -> frozenset[str]:
        """Names of what its commands installed, started or stopped."""
        acts = [one for one in self.successes if one.program != "git"]
        acts = [one for one in acts if not _MENDERS.isdisjoint(one.marks)]
        return list_parts(name for one in acts for name in one.operands)

    @property
    def is_edit(self) -> bool:
        """True if it changed a file."""
        is_done = self.outcome is Outcome.WORKED
        return is_done and any(EDIT in one.marks for one in self.acts)


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
    acts = tuple(read_acts(tool, args, root))
    if not acts or result is None:
        return None
    edits = list_edits(args)
    line = "" if edits else shell_text(tool, args) or ""
    commands = read_commands(line) if line else ()
    output = read_output(result)
    outcome = judge_outcome(commands, output)
    written = "\n".join(one.new for one in edits)
    if any(_may_write(one) for one in commands):
        written = line
    placed = tuple(CallEdit(name_place(one.path, root), one.old, one.new) for one in edits)
    return GuardStep(
        *(turn, at, session, "", line, acts),
        edits=placed if outcome is Outcome.WORKED else (),
        written=written if outcome is not Outcome.FAILED else "",
        outcome=outcome,
        output=output.text[-_KEPT_OUTPUT:],
        ends=tuple(outcome_of_command(one, outcome) for one in commands),
    )


def _may_write(command: Command) -> bool:
    """Check whether a command may write what it names into a file that stays."""
    named = (command.program, *command.subcommands, *command.arguments[:1])
    return not _WRITERS.isdisjoint(named)
