"""Whether a call worked is read in the forms of all clients."""

import pytest
from pydantic import JsonValue

from memoria.language.calls.command import read_commands
from memoria.language.calls.outcome import Outcome, outcome_of_command, read_outcome

FAILED, WORKED, UNKNOWN = Outcome.FAILED, Outcome.WORKED, Outcome.UNKNOWN
DECLINED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def error(text: str) -> JsonValue:
    return {"is_error": True, "content": text}


@pytest.mark.parametrize(
    ("line", "result", "outcome"),
    [
        ("npm test", error("Exit code 1\nFAIL"), FAILED),
        ("npm test", "ok", WORKED),
        ("npm test", None, UNKNOWN),
        ("npm test", error(DECLINED), UNKNOWN),
        ("npm test", {"stdout": "", "stderr": "", "interrupted": True}, UNKNOWN),
        ("npm test", {"stdout": "ok", "stderr": "", "interrupted": False}, WORKED),
        ("npm test", {"output": "no", "metadata": {"exit_code": 2}}, FAILED),
        ("npm test", {"output": "ok", "metadata": {"exit_code": 0}}, WORKED),
        ("npm test", "Chunk ID: 1\nProcess exited with code 1\nOutput:\nno", FAILED),
        ("npm test", "Exit code: 0\nWall time: 1 s\nOutput:\nok", WORKED),
        ("npm test", "Command: npm test\nOutput: no\nExit Code: 1\nSignal: (none)", FAILED),
        ("npm test", "no\n<shellId: 0 completed with exit code 1>", FAILED),
        ("npm test", "ok\n<shellId: 12 completed with exit code 0>", WORKED),
        ("npm test", {"output": "no", "exit_code": 1}, FAILED),
        ("npm test", {"error": "spawn failed"}, FAILED),
        ("npm test", {"success": False, "content": "no"}, FAILED),
        ("npm test | tail -3", "3 failed, 9 passed", FAILED),
        ("npm test || true", "3 failed, 9 passed", FAILED),
        ("cat notes", "3 failed, 9 passed", WORKED),
        ("grep -rn foo src", error("Exit code 1\n"), UNKNOWN),
        ("grep -rn foo nowhere", error("Exit code 2\ngrep: nowhere: No such file"), FAILED),
        ("test -f a", error("Exit code 1"), UNKNOWN),
        ("git diff --exit-code", error("Exit code 1\n-a\n+b"), UNKNOWN),
    ],
)
def test_the_end_of_a_command_is_read(line: str, result: JsonValue, outcome: Outcome) -> None:
    assert read_outcome("Bash", {"command": line}, result) is outcome


def test_the_end_of_an_edit_is_read() -> None:
    args: JsonValue = {"file_path": "a.py", "old_string": "a", "new_string": "b"}
    assert read_outcome("Edit", args, "The file has been updated.") is WORKED
    assert read_outcome("Edit", args, error("String to replace not found in file.")) is FAILED


def test_a_failed_line_blames_its_last_command_alone() -> None:
    ends = [outcome_of_command(one, FAILED) for one in read_commands("npm install && npm test")]
    assert ends == [UNKNOWN, FAILED]
    ends = [outcome_of_command(one, WORKED) for one in read_commands("npm install; npm test")]
    assert ends == [UNKNOWN, WORKED]
