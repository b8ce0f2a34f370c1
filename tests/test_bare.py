"""What answers at once needs nothing but the standard library."""

import json
import subprocess
import sys
from pathlib import Path

import memoria

PACKAGE = Path(memoria.__file__).parent
BARE = ("bare", "surface/front", "surface/hook")
"""Packages that the front of `serve` and the hook program are made of."""
IMPORT = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
for name in sys.argv[2:]:
    __import__(name)
import json
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_what_answers_at_once_starts_without_any_package_but_the_standard_library() -> None:
    names = sorted(
        ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
        for folder in BARE
        for file in (PACKAGE / folder).glob("*.py")
        if file.stem not in ("__init__", "__main__")
    )
    assert "memoria.bare.workspace" in names
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-I", "-S", "-c", IMPORT, str(PACKAGE.parent), *names],
        check=True,
        capture_output=True,
        text=True,
    )
    loaded = {name for name in json.loads(done.stdout) if name.startswith("memoria.")}
    allowed = {folder.replace("/", ".") for folder in (*BARE, "surface")}
    assert {
        name
        for name in loaded
        if name.removeprefix("memoria.") not in allowed
        and name.removeprefix("memoria.").rpartition(".")[0] not in allowed
    } == set()
