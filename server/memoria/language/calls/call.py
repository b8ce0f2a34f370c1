"""A recorded tool call as far as it is looked up: by its commands, its errors and its files."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from memoria.language.calls.command import read_commands, shell_text
from memoria.language.calls.error import error_keys
from memoria.language.calls.files import base_name, changes_files, list_files, list_renames
from memoria.language.calls.outcome import Outcome, judge_outcome, outcome_of_command
from memoria.language.calls.output import read_output

_MOST_COMMANDS = 6
_LONGEST_KEY = 200


class CallMark(NamedTuple):
    """One thing by which a call is looked up."""

    kind: str
    """`command`, `error`, `file` or `rename`."""
    key: str
    """What repetitions share; of a file its bare name in small letters."""
    detail: str
    """The command or path as given; of a rename both paths, with a line break between them."""
    outcome: Outcome
    is_edit: bool


def read_marks(tool_name: str | None, args: JsonValue, result: JsonValue) -> list[CallMark]:
    """List everything by which a call is looked up; nothing for a call without command and file."""
    line = shell_text(tool_name, args)
    commands = () if line is None else read_commands(line)
    files = list_files(args, commands, result)
    if not commands and not files:
        return []
    output = read_output(result)
    outcome = Outcome.UNKNOWN if result is None else judge_outcome(commands, output)
    edits = changes_files(tool_name, args, commands, files)
    found = [
        CallMark(
            "command", one.key, one.exact_key(), outcome_of_command(one, outcome), is_edit=edits
        )
        for one in commands[-_MOST_COMMANDS:]
    ]
    if outcome is Outcome.FAILED:
        keys = error_keys(output.text)
        found += [CallMark("error", key, "", outcome, is_edit=edits) for key in keys]
    found += [CallMark("file", base_name(path), path, outcome, is_edit=edits) for path in files]
    if edits and outcome is not Outcome.FAILED:
        found += _mark_renames(list_renames(args, commands), outcome)
    unique = {(mark.kind, mark.key): mark for mark in reversed(found) if mark.key}
    return [
        mark._replace(key=_plain(mark.key)[:_LONGEST_KEY], detail=_plain(mark.detail))
        for mark in reversed(unique.values())
    ]


def _plain(text: str) -> str:
    """Return a text as every engine can keep it."""
    return text.replace("\0", "") if "\0" in text else text


def _mark_renames(renames: Sequence[tuple[str, str]], outcome: Outcome) -> Iterator[CallMark]:
    """Yield a mark under the new name of each file that was renamed, and one under the old."""
    for old, new in renames:
        for path in dict.fromkeys((base_name(new), base_name(old))):
            yield CallMark("rename", path, f"{old}\n{new}", outcome, is_edit=True)
