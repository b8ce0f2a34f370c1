"""An export as a file: private, whole or not there, readable when a part of it is damaged."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.admin.exports.homes import PASSPHRASE, merge, opened, said, settings_of
from tests.admin.exports.rows import differ, read_rows
from tests.databases import opened_files, read_text, write_text
from tests.ingest.play import memories
from tests.surface.shell import Shell

from memoria.admin.exports.format import read_head
from memoria.app.exporting import export, merge_export
from memoria.errors import ExportError
from memoria.model import COMMAND_LINE
from memoria.store.rows.portable.records import PORTABLE_KINDS, PortableSelection

pytestmark = pytest.mark.anyio
ALL = PortableSelection()


@pytest.mark.sqlite("looks into the file")
async def test_a_damaged_line_is_named_by_its_number_and_the_rest_is_kept(tmp_path: Path) -> None:
    home, file, new = tmp_path / "home", tmp_path / "a.jsonl", tmp_path / "new"
    async with opened(home) as m:
        await said(m, "I prefer quince jam over honey.", "I like rye bread.")
        await m.remember("我每天早上六点起床。")
    export(settings_of(home), file, ALL, None, lambda *_: None)
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    turns = [i for i, line in enumerate(lines) if line.startswith(b'{"turn"')]
    damaged = [*lines]
    damaged[turns[0]] = lines[turns[0]][:40] + b"\n"
    record = json.loads(lines[turns[1]])
    record["turn"]["role"] = "prophet"
    damaged[turns[1]] = json.dumps(record).encode() + b"\n"
    damaged.insert(2, b'{"tune":{}}\n')
    for place in ("../USER.md", "tenants/other/USER.md", "memoria.db"):
        core = {"core_file": {"place": place, "text": "Call me Jo."}}
        damaged.insert(-1, json.dumps(core).encode() + b"\n")
    file.write_bytes(b"".join(damaged[:-1]))  # and cut off
    told = Shell(new, {"MEMORIA_TENANT": "tests"})("import", file)
    assert told.code == 3
    for number, problem in (
        (3, "is of no kind that this version knows"),
        (turns[0] + 2, "is no JSON"),
        (turns[1] + 2, "is not a valid Role"),
        (len(damaged) - 1, "is no core file"),
        (len(damaged), "is missing: the file ends too early"),
    ):
        assert any(
            f"line {number} " in line and problem in line for line in told.out.splitlines()
        ), (number, told.out)
    async with opened(new) as m:
        assert "我每天早上六点起床。" in [one.content for one in await memories(m)]
    file.write_bytes(whole)
    assert merge(new, file).bad_lines == []
    assert differ(read_rows(home), read_rows(new)) == []


async def test_an_import_that_was_stopped_is_finished_by_the_next(tmp_path: Path) -> None:
    home, file, new = tmp_path / "home", tmp_path / "a.jsonl", tmp_path / "new"
    async with opened(home) as m:
        await said(m, *(f"The {i}th lantern hangs in room {i}." for i in range(400)))
        forgotten = await m.remember("The cellar key hangs behind the boiler.", type="fact")
        await m.forget_memory([forgotten.id])
    export(settings_of(home), file, ALL, None, lambda *_: None)
    told: list[int] = []

    def stop(done: int, _total: int) -> None:
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        merge_export(settings_of(new), file, None, stop)
    assert 0 < told[0] < file.stat().st_size
    assert read_rows(new)["turns"]
    assert merge(new, file).bad_lines == []
    assert differ(read_rows(home), read_rows(new)) == []


async def test_an_export_is_its_owners_alone_whole_or_not_there_and_replaces_nothing(
    tmp_path: Path,
) -> None:
    home, file = tmp_path / "home", tmp_path / "a.jsonl"
    async with opened(home) as m:
        await said(m, "My key is sk-proj-Zk3vQ9xLm2Rt7Yb4Wc8Nd1Pf6Hs5Jg0Ae.", "I like rye bread.")
    before = os.umask(0)
    try:
        export(settings_of(home), file, ALL, None, lambda *_: None)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "sk-proj" not in file.read_text("utf-8")
    with pytest.raises(ExportError, match="exists already"):
        export(settings_of(home), file, ALL, None, lambda *_: None)

    def fail(_done: int, _total: int) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        export(settings_of(home), tmp_path / "b.jsonl", ALL, None, fail)
    assert _list_names(tmp_path) == ["a.jsonl", "home"]
    smuggled = tmp_path / "c.jsonl"
    smuggled.write_text(file.read_text("utf-8").replace("rye", "ghp_" + "a1B2" * 9), "utf-8")
    report = merge(tmp_path / "new", smuggled)
    assert report.redacted == 1
    assert "ghp_" not in repr(read_rows(tmp_path / "new"))


@pytest.mark.sqlite("looks into the file")
async def test_a_newer_export_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    async with opened(tmp_path / "home") as m:
        await m.remember("我每天早上六点起床。")
    export(settings_of(tmp_path / "home"), file, ALL, None, lambda *_: None)
    text = file.read_text("utf-8")
    for newer in (
        text.replace('"format":1', '"format":2'),
        text.replace('"schema_number":', '"schema_number":1'),
    ):
        file.write_text(newer, "utf-8")
        told = Shell(tmp_path / "new", {"MEMORIA_TENANT": "tests"})("import", file)
        assert (told.code, "pip install -U memoria-server" in told.err) == (1, True)
    assert (
        not (tmp_path / "new" / "memoria.db").exists()
        or not read_rows(tmp_path / "new")["memories"]
    )


def test_an_export_inside_a_git_repository_is_said_to_be_there(home: Path, tmp_path: Path) -> None:
    shell = Shell(home)
    shell("remember", "The kiln is hot")
    assert shell("export", tmp_path / "a.jsonl").err == ""
    repository = tmp_path / "shop"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    file, notes = repository / "b.jsonl", repository / "notes"
    note = f"lies in the git repository {repository} and holds what you said: keep it out of"
    told = shell("export", file, "--json")
    assert told.err == f"note: {file} {note} commits.\n"
    assert told.document["path"] == str(file)
    assert note in shell("export", notes, "--format", "markdown").err
    assert shell("export", notes, "--sync").err == ""


async def test_a_part_of_the_memory_brings_along_what_it_rests_on_and_nothing_else(
    tmp_path: Path,
) -> None:
    home, file = tmp_path / "home", tmp_path / "a.jsonl"
    for project, text in (("kiln", "Our kiln runs at 1040 degrees."), ("loom", "织布机在二楼。")):
        async with opened(home, workspace=project) as m:
            await said(m, text, session=project)
            await m.remember(text, scope="project")
    shell = Shell(home, {"MEMORIA_TENANT": "tests"})
    told = shell("export", file, "--workspace", "kiln", "--json").document
    assert (told["records"]["memory"], told["records"]["turn"]) == (1, 1)
    assert "织布机" not in file.read_text("utf-8")
    assert "loom" not in file.read_text("utf-8")
    assert merge(tmp_path / "new", file).bad_lines == []
    later = shell("export", tmp_path / "b.jsonl", "--since", "2999-01-01", "--json").document
    assert (later["records"]["memory"], later["records"]["turn"]) == (0, 0)
    assert shell("export", tmp_path / "c.jsonl", "--workspace", "attic").code == 1
    assert shell("export", tmp_path / "c.jsonl", "--tenant", "nobody").code == 2
    told = Shell(home, {"MEMORIA_TENANT": "others"})("import", file)  # ids are one tenant's alone
    assert (told.code, "--tenant tests" in told.err) == (1, True)
    assert Shell(tmp_path / "new", {"MEMORIA_TENANT": "others"})("import", file).code == 1
    assert Shell(tmp_path / "newer", {"MEMORIA_TENANT": "others"})("import", file).code == 0
    private = Shell(home, {"MEMORIA_TENANT": "tests", "MEMORIA_PRIVATE_WORKSPACES": "kiln"})
    assert private("export", tmp_path / "v", "--format", "markdown", "--json").document[
        "written"
    ] == len(("loom",))
    kiln = ("--format", "markdown", "--json", "--workspace", "kiln")
    assert private("export", tmp_path / "w", *kiln).document["written"] == len(("kiln",))


async def test_what_somebody_wrote_into_core_files_goes_along_and_is_added_to_what_stands_there(
    tmp_path: Path,
) -> None:
    home, new, file = tmp_path / "home", tmp_path / "new", tmp_path / "a.jsonl"
    async with opened(home) as m:
        kept = await m.remember("The bins go out on Tuesday.", type="fact")
    written = (
        "# USER.md\n\nCall me Jo.\n请叫我小周。\nThe bins go out on Tuesday.\n"
        "- Likes tea <!-- m:0a1b2c3d -->\n"
    )
    write_text(settings_of(home), "USER.md", written)
    write_text(settings_of(home), "MEMORY.md", "password: hunter2-Zk3vQ9xL\n")
    export(settings_of(home), file, ALL, PASSPHRASE, lambda *_: None)
    assert "Likes tea" not in file.read_text("utf-8")
    assert "hunter2" not in file.read_text("utf-8")
    assert "hunter2" in read_text(settings_of(home), "MEMORY.md")
    async with opened(new) as m:
        await m.remember("The lantern is in the shed.", type="fact")
    write_text(settings_of(new), "USER.md", "# USER.md\n\nCall me Jo.\nI am left-handed.\n")
    for _ in range(2):
        assert merge(new, file).bad_lines == []
        assert read_text(settings_of(new), "USER.md").splitlines()[2:] == [
            *("Call me Jo.", "I am left-handed.", "", "请叫我小周。", "The bins go out on Tuesday.")
        ]
    with opened_files(settings_of(new)) as files:
        files.delete("USER.md")
    async with opened(new) as m:
        await m.forget_memory([kept.id])
    assert merge(new, file).forgotten
    assert read_text(settings_of(new), "USER.md") == "# USER.md\n\nCall me Jo.\n请叫我小周。\n"


def _list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


EXAMPLES = int(os.environ.get("RECORD_EXAMPLES", "12"))
GATE, HILDE = "The garden gate has the code 4417.", "Aunt Hilde collects clocks."
WRONG = (
    *(str(2**63), str(-(2**63) - 1), "1" + "0" * 30, "9" * 5000, str(2**63 - 1), "-1", "1.5"),
    *("NaN", "Infinity", "-Infinity", "1e999", "true", "null", '""', '"x"', "[]", "{}"),
    *(r'"\ud800"', r'["\ud800"]', r'{"\ud800": 1}', r'"\u0000"', "[[1]]", '{"a": [1]}'),
    *("[" * 3000 + "]" * 3000, '{"a":' * 500 + "1" + "}" * 500, json.dumps("长" * 100_000)),
    '{"a": 1, "a": 2}',
)
MARK = "put another value here"
Path_ = tuple[str | int, ...]


async def live(home: Path) -> None:
    """A home with records of most kinds."""
    async with opened(home, workspace="burrow") as m:
        await said(m, "I prefer quince jam over honey.", "I met Hilde and Paul in Leeds.")
        await m.record_conversation(
            [{"role": "tool", "tool_name": "ls", "tool_args": {"a": [1]}, "tool_result": "x"}],
            session_id="tools",
        )
        await m.remember(GATE, type="fact")
        await m.remember(HILDE, entities=["Hilde", "Paul"])
        await m.remember("Hilde paints clocks.", entities=["Hilde"])
        await m.update_scratchpad(completed="Paint the gate", session_id="s")
        await m.update_scratchpad(current_focus="Count the clocks", session_id="s")
        await m.with_channel(COMMAND_LINE).private.turn_on()
        gone = await m.remember("The cellar key hangs behind the boiler.", type="fact")
        await m.forget_memory([gone.id])


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("lived")
    anyio.run(live, folder / "home")
    export(settings_of(folder / "home"), folder / "a", PortableSelection(), None, lambda *_: None)
    return (folder / "a").read_bytes().splitlines(keepends=True)


def list_paths(value: object, path: Path_ = ()) -> Iterator[Path_]:
    """Where in a record a value stands: itself, and all in it."""
    yield path
    inside: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value[:1]))
    for key, one in inside:
        yield from list_paths(one, (*path, key))


def put(value: Any, path: Path_) -> Any:  # noqa: ANN401  (any JSON)
    """The value with the mark at a path in it."""
    if not path:
        return MARK
    changed = value.copy()
    changed[path[0]] = put(value[path[0]], path[1:])
    return changed


def list_fields(lines: list[bytes]) -> list[tuple[int, Path_]]:
    """Every field of every kind of record, once, by its line and its path."""
    found: dict[tuple[object, ...], tuple[int, Path_]] = {}
    for number, line in enumerate(lines[1:-1], 1):
        ((kind, record),) = json.loads(line).items()
        for path in list_paths(record):
            found.setdefault((kind, *path), (number, path))
    return list(found.values())


def spoil(lines: list[bytes], number: int, path: Path_, wrong: str) -> bytes:
    ((kind, record),) = json.loads(lines[number]).items()
    changed = json.dumps({kind: put(record, path)}).replace(json.dumps(MARK), wrong)
    return b"".join([*lines[:number], changed.encode() + b"\n", *lines[number + 1 :]])


def test_the_records_that_are_spoilt_are_of_every_kind_but_two(lines: list[bytes]) -> None:
    kinds = {next(iter(json.loads(line))) for line in lines[1:-1]}
    assert set(PORTABLE_KINDS) - kinds <= {"merge", "queue_entry"}


def look_at(home: Path) -> None:
    """Read all that came in as searches and an export do."""

    async def ask() -> None:
        async with opened(home) as m:
            for words in ("gate code", "Hilde clocks", "quince jam"):
                await m.search_memory(words)
                await m.search_conversation_traces(words)

    anyio.run(ask)
    again = home.with_name("again")
    again.unlink(missing_ok=True)
    export(settings_of(home), again, PortableSelection(), None, lambda *_: None)


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_whatever_stands_in_a_field_ends_no_import_and_no_search_after_it(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("spoilt")
    number, path = data.draw(st.sampled_from(list_fields(lines)))
    (folder / "a").write_bytes(spoil(lines, number, path, data.draw(st.sampled_from(WRONG))))
    report = merge(folder / "new", folder / "a")
    named = [one.number for one in report.bad_lines]
    rests_on_it = json.loads(lines[number]).keys() & {"session", "entity", "turn", "workspace"}
    assert set(named) <= {number + 1} or rests_on_it
    look_at(folder / "new")


@pytest.mark.parametrize("wrong", ["[]", "[[1]]", '"nobody"', "true"])
def test_an_entity_that_is_the_same_as_one_of_no_kind_ends_no_import_and_no_search_after_it(
    tmp_path: Path, lines: list[bytes], wrong: str
) -> None:
    named = [n for n, line in enumerate(lines) if line.startswith(b'{"entity"')]
    for number in named:
        file, new = tmp_path / f"{number}.jsonl", tmp_path / f"new{number}"
        file.write_bytes(spoil(lines, number, ("same_as",), wrong))
        merge(new, file)
        look_at(new)


@pytest.mark.parametrize("wrong", [r'{"\ud800": 1}', r'{"\uDC00": 1}', r'["\ud800"]'])
@pytest.mark.parametrize(
    ("kind", "path"), [("private_time", ()), ("forget_report", ("remaining",))]
)
def test_a_record_with_half_a_character_is_named_with_its_line(
    tmp_path: Path, lines: list[bytes], kind: str, path: Path_, wrong: str
) -> None:
    number = next(n for n, line in enumerate(lines) if line.startswith(f'{{"{kind}"'.encode()))
    file = tmp_path / "a"
    file.write_bytes(spoil(lines, number, path, wrong))
    assert [one.number for one in merge(tmp_path / "new", file).bad_lines] == [number + 1]


@pytest.mark.parametrize("kind", ["turn", "memory", "session", "audit_entry", "tombstone", "edge"])
def test_a_number_beyond_64_bits_is_named_with_its_line_and_the_rest_comes_in(
    tmp_path: Path, lines: list[bytes], kind: str
) -> None:
    numbers = [n for n, line in enumerate(lines) if line.startswith(f'{{"{kind}"'.encode())]
    record = json.loads(lines[numbers[-1]])[kind]
    field = next(name for name, value in record.items() if type(value) is int)
    file, new = tmp_path / "a.jsonl", tmp_path / "new"
    file.write_bytes(spoil(lines, numbers[-1], (field,), "1" + "0" * 30))
    told = Shell(new, {"MEMORIA_TENANT": "tests"})("import", file)
    assert told.code == 3
    assert f"line {numbers[-1] + 1} " in told.out
    report = merge(tmp_path / "other", file)
    assert report.bad_lines[0].number == numbers[-1] + 1
    assert 3 * report.added.total() > len(lines)


@pytest.mark.parametrize("field", ["format", "schema_number", "counts", "tenant", "sealed_keys"])
def test_whatever_stands_in_the_first_line_is_read_or_said_to_be_no_export(
    tmp_path: Path, lines: list[bytes], field: str
) -> None:
    file, refused = tmp_path / "a.jsonl", []
    ((kind, head),) = json.loads(lines[0]).items()
    for wrong in WRONG:
        changed = json.dumps({kind: put({**head, field: None}, (field,))})
        file.write_bytes(changed.replace(json.dumps(MARK), wrong).encode() + b"\n")
        try:
            read_head(file)
        except ExportError:
            refused.append(wrong)
    assert {"NaN", "1e999", "9" * 5000, "[[1]]"} <= {*refused}
