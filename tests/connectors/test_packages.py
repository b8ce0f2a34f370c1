"""Connectors of somebody else's package: loaded where the settings name it, and nowhere else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, blocks
from tests.surface.client_box import ClientBox

EXAMPLE = Path(__file__).parent / "example"
MODULE = "memoria_fieldlog"
NAMED = {"MEMORIA_CONNECTORS": "memoria-fieldlog"}
LOG = [
    {"app": "fieldlog", "id": "a1", "trip": "Harz", "at": 1_790_000_000_000,
     "said": "The ford below Torfhaus is closed until May."},
    {"app": "fieldlog", "id": "a2", "at": 1_790_000_100_000,
     "finding": "The hut at Oderteich has no water in winter."},
    {"app": "fieldlog", "id": "a3", "trip": "Harz", "at": 1_790_000_200_000,
     "said": "再见，哈茨山！"},
]  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClientBox:
    """A user's machine, on which the example is installed."""
    install(tmp_path, monkeypatch, "memoria-fieldlog", source=f"{MODULE}:SOURCE",
            client=f"{MODULE}:CLIENT")  # fmt: skip
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return ClientBox(tmp_path, monkeypatch)


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, code: str = "", **points: str
) -> None:
    """Lay what an installer leaves of a package: its module, its name, its entry points."""
    module = name.replace("-", "_")
    place = folder / "packages" / name
    info = place / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    if code:
        (place / f"{module}.py").write_text(code, "utf-8")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[memoria.{kind}s]\nfieldlog = {value}\n" for kind, value in points.items()]
    (info / "entry_points.txt").write_text("".join(lines))
    monkeypatch.syspath_prepend(place)


def written(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "log.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LOG), "utf-8")
    return file


def test_its_source_is_recognised_read_and_comes_in_once(
    machine: ClientBox, tmp_path: Path
) -> None:
    written(tmp_path / "trips")
    assert machine("config", "set", "connectors", "memoria-fieldlog").code == 0
    counted = machine.shell.json("import", tmp_path / "trips", "--dry-run")["sources"]
    assert [(one["source"], one["turns"], one["memories"]) for one in counted] == [
        ("fieldlog", 2, 1)
    ]
    report = machine.shell.json("import", tmp_path / "trips")
    assert (report["recorded"], report["memories"], report["bad"]) == (2, {"added": 1}, 0)
    again = machine.shell.json("import", tmp_path / "trips", "--format", "fieldlog")
    assert (again["recorded"], again["memories"]) == (0, {"known": 1})
    hits = machine.shell.json("--workspace", "*", "search", "water at the Oderteich hut")["hits"]
    assert LOG[1]["finding"] in [hit["text"] for hit in hits]


def test_its_client_is_connected_and_its_file_given_back_byte_for_byte(machine: ClientBox) -> None:
    file = machine.write(".config/fieldlog/servers.json", b'\xef\xbb\xbf{"maps": [1, ],\r\n}\r\n')
    before = machine.files()
    done = machine("connect", "fieldlog", "--yes", **NAMED)
    assert (done.code, done.err) == (0, "")
    assert "Restart Field Log." in done.out
    entry = file.read_bytes().decode("utf-8-sig")
    assert '"memoria"' in entry
    assert "serve" in entry
    listed = json.loads(machine("connect", "--status", "--json", **NAMED).out)
    assert [one["client"] for one in listed["connections"]] == ["fieldlog"]
    assert machine("disconnect", "--yes", **NAMED).code == 0
    assert machine.files() == before


def test_no_code_of_a_package_runs_unless_the_settings_name_it(
    machine: ClientBox, tmp_path: Path
) -> None:
    file = written(tmp_path / "trips")
    assert "'fieldlog' is not one of" in machine("import", str(file), "--format", "fieldlog").err
    assert "There is no client 'fieldlog'" in machine("connect", "fieldlog", "--yes").err
    assert MODULE not in sys.modules


def test_what_remembers_searches_and_sleeps_loads_none(machine: ClientBox) -> None:
    for words in (["remember", "I like rye bread"], ["search", "bread"], ["nightly"], ["doctor"]):
        machine(*words, **NAMED)
    assert MODULE not in sys.modules


def test_neither_a_server_nor_a_hook_imports_what_looks_for_packages() -> None:
    code = (
        "import sys, memoria.surface.mcp.server, memoria.surface.hook.main, memoria.app;"
        "print([m for m in sys.modules if m.startswith('memoria.connectors.packages')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)  # noqa: S603
    assert done.stdout.strip() == b"[]"


TAKEN = """
from dataclasses import replace
from memoria_fieldlog import SOURCE
SOURCE = replace(SOURCE, name="chatgpt")
"""


@pytest.mark.parametrize(
    ("code", "points", "said"),
    [
        ("import nowhere_at_all\n", {"source": "odd_package:SOURCE"}, "ModuleNotFoundError"),
        ("raise SystemExit(3)\n", {"source": "odd_package:SOURCE"}, "SystemExit: 3"),
        ("SOURCE = 7\n", {"source": "odd_package:SOURCE"}, "is no ImportSource"),
        (TAKEN, {"source": "odd_package:SOURCE"}, "there is one of that name"),
        ("", {"plugin": "odd_package:SOURCE"}, "neither a source nor a client"),
        (None, {}, "which is not installed here"),
    ],
)
def test_a_package_that_can_not_be_used_is_named_and_all_others_are(
    machine: ClientBox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: str | None,
    points: dict[str, str],
    said: str,
) -> None:
    if code is not None:
        install(tmp_path, monkeypatch, "odd-package", code=code, **points)
        monkeypatch.delitem(sys.modules, "odd_package", raising=False)
    done = machine(
        "import",
        str(written(tmp_path / "trips")),
        "--json",
        MEMORIA_CONNECTORS="odd-package,memoria-fieldlog",
    )
    (line,) = done.err.splitlines()
    assert line.startswith("warning: ")
    assert "odd-package" in line
    assert said in line
    assert line.endswith("or take it out of the setting `connectors`.")
    assert (done.code, done.document["sources"]) == (0, ["fieldlog"])


RAISING = """
from dataclasses import replace
from memoria_fieldlog import CLIENT, SOURCE

def fail(*given):
    raise KeyError("it")

SOURCE = replace(SOURCE, name="odd", recognises=fail, places=fail)
CLIENT = replace(CLIENT, name="odd", config=fail, folders=fail)
"""


def test_a_connector_that_fails_while_others_are_tried_stops_none(
    machine: ClientBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "odd-package", code=RAISING, source="odd_package:SOURCE",
            client="odd_package:CLIENT")  # fmt: skip
    monkeypatch.delitem(sys.modules, "odd_package", raising=False)
    named = {"MEMORIA_CONNECTORS": "odd-package,memoria-fieldlog"}
    done = machine("import", str(written(tmp_path / "trips")), "--json", **named)
    assert (done.code, done.document["sources"]) == (0, ["fieldlog"])
    assert "odd fails and is passed over: KeyError" in done.err
    assert machine("import", "--all", "--dry-run", **named).code == 0
    machine.write(".config/fieldlog/servers.json", "{}")
    done = machine("connect", "--yes", **named)
    assert done.code == 0
    assert "Field Log" in done.out


def test_settings_that_can_not_be_used_keep_nobody_from_disconnecting(machine: ClientBox) -> None:
    before = machine.files()
    assert machine("connect", "codex", "--yes").code == 0
    done = machine("disconnect", "codex", "--yes", MEMORIA_NIGHTLY_TOKENS="many")
    assert done.code == 0
    assert "warning: MEMORIA_NIGHTLY_TOKENS" in done.err
    assert machine.files() == before


def test_the_guide_shows_the_example_as_it_is_tested() -> None:
    (block,) = blocks(DOCS / "guide" / "connectors.md", "python")
    assert block.code.startswith((EXAMPLE / f"{MODULE}.py").read_text("utf-8"))
