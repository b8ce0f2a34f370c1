"""A record of an export with values that nothing could hold is named, and the others come in.

RECORD_EXAMPLES in the environment tries more of them.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.admin.exports.homes import merge, opened, said, settings_of
from tests.surface.shell import Shell

from memoria.admin.exports.lines import read_head
from memoria.app.exporting import export
from memoria.errors import ExportError
from memoria.model import COMMAND_LINE
from memoria.store.rows.portable.records import PORTABLE_KINDS, PortableSelection

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
