"""Whether a tool call worked, as far as its client says so."""

from enum import StrEnum

from pydantic import JsonValue

from memoria.language.calls.command import Command, read_commands, shell_text
from memoria.language.calls.error import tells_failure
from memoria.language.calls.output import ToolOutput, read_output

_ASKING_PROGRAMS = frozenset("grep egrep fgrep rg ag test [ [[ diff cmp which pgrep type".split())
"""Programs whose exit code 1 is an answer: no."""
_ASKING_FLAGS = frozenset(("--exit-code", "--quiet", "--is-ancestor", "--check", "-q", "--verify"))
_ANSWER = 1


class Outcome(StrEnum):
    """Ends of a tool call."""

    FAILED = "failed"
    WORKED = "worked"
    UNKNOWN = "unknown"
    """No end is told, the call was declined or stopped, or its exit code is an answer."""


def read_outcome(tool_name: str | None, args: JsonValue, result: JsonValue) -> Outcome:
    """Return how a call ended."""
    if result is None:
        return Outcome.UNKNOWN
    line = shell_text(tool_name, args)
    commands = () if line is None else read_commands(line)
    return judge_outcome(commands, read_output(result))


def judge_outcome(commands: tuple[Command, ...], output: ToolOutput) -> Outcome:
    """Return how a call ended, of which commands and output are read already."""
    if output.is_declined:
        return Outcome.UNKNOWN
    has_failed = output.is_error is True or output.exit_code not in (None, 0)
    last = commands[-1] if commands else None
    if has_failed:
        return Outcome.UNKNOWN if last and _is_answer(last, output) else Outcome.FAILED
    if last is not None and last.is_masked and tells_failure(output.text):
        return Outcome.FAILED
    return Outcome.WORKED


def outcome_of_command(command: Command, whole: Outcome) -> Outcome:
    """Return what the end of a whole line says of one of its commands."""
    if whole is Outcome.FAILED:
        return whole if command.is_decisive else Outcome.UNKNOWN
    if whole is Outcome.WORKED and command.is_masked and not command.is_decisive:
        return Outcome.UNKNOWN
    return whole


def _is_answer(command: Command, output: ToolOutput) -> bool:
    if output.exit_code not in (None, _ANSWER):
        return False
    if command.program in _ASKING_PROGRAMS:
        return command.program in {"diff", "cmp"} or not output.text.strip()
    is_asking = command.program == "git" and bool(_ASKING_FLAGS & {*command.flags})
    return is_asking and "fatal" not in output.text
