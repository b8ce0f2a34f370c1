"""The files of a call are found in arguments, patches, shell lines and errors."""

import pytest
from pydantic import JsonValue

from memoria.language.calls.files import (
    base_name,
    files_of_call,
    is_edit,
    is_same_path,
    renames_of_call,
)

PATCH = (
    "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@\n-x\n+y\n"
    "*** Add File: c.py\n+z\n*** End Patch"
)


@pytest.mark.parametrize(
    ("name", "args", "files", "edits"),
    [
        ("Read", {"file_path": "/x/a.py"}, ("/x/a.py",), False),
        ("Edit", {"file_path": "/x/a.py", "old_string": "1"}, ("/x/a.py",), True),
        ("apply_patch", PATCH, ("src/a.py", "c.py", "src/b.py"), True),
        ("Bash", {"command": "sed -i s/a/b/ src/a.py"}, ("src/a.py",), True),
        ("Bash", {"command": "cat > a.py <<'E'\nx\nE"}, ("a.py",), True),
        ("Bash", {"command": "cd web && pytest tests/a.py::test_b -q"}, ("web/tests/a.py",), False),
        ("Bash", {"command": "python tools/run.py --n 3"}, ("tools/run.py",), False),
        ("Bash", {"command": "mix deps.get"}, (), False),
        ("Bash", {"command": "curl https://a.example/x.json"}, (), False),
        ("Grep", {"pattern": "foo", "path": "src"}, ("src",), False),
        ("TodoWrite", {"todos": []}, (), False),
        ("WebSearch", {"query": "a.py"}, (), False),
    ],
)
def test_files_and_edits_are_found(
    name: str, args: JsonValue, files: tuple[str, ...], *, edits: bool
) -> None:
    assert files_of_call(name, args) == files
    assert is_edit(name, args) is edits


def test_files_that_an_error_names_belong_to_the_failing_call_alone() -> None:
    told = "error: x\n  --> crates/scan/lexer.rs:10:5\n  /root/.cargo/registry/src/a/lib.rs:1:1"
    args: JsonValue = {"command": "cargo test"}
    assert files_of_call("Bash", args, {"is_error": True, "content": told}) == (
        "crates/scan/lexer.rs",
    )
    assert files_of_call("Bash", args, told) == ()


@pytest.mark.parametrize(
    ("name", "args", "renames"),
    [
        ("Bash", {"command": "git mv src/a.rs src/b.rs"}, (("src/a.rs", "src/b.rs"),)),
        ("Bash", {"command": "cd src && mv a.rs scan/"}, (("src/a.rs", "src/scan/a.rs"),)),
        ("apply_patch", PATCH, (("src/a.py", "src/b.py"),)),
        ("Bash", {"command": "ls src"}, ()),
    ],
)
def test_renames_are_found(
    name: str, args: JsonValue, renames: tuple[tuple[str, str], ...]
) -> None:
    assert renames_of_call(name, args) == renames


def test_a_path_is_the_same_whether_whole_or_short() -> None:
    assert is_same_path("/home/ann/x/src/Lexer.rs", "./src/lexer.rs:12")
    assert not is_same_path("src/lexer.rs", "lib/lexer.rs")
    assert base_name("src/Lexer.rs:10:5") == "lexer.rs"
