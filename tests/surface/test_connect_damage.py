"""A client's file that is damaged: named, left as it is, and in nobody else's way."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.surface.client_box import ClientBox

from memoria.connectors.clients.document import command_in
from memoria.connectors.clients.interface import Client, HookWish
from memoria.connectors.clients.ledger import ConnectionLedger, LedgerEntry
from memoria.connectors.clients.place import ClientPlace
from memoria.connectors.clients.program import ClientProgram
from memoria.connectors.clients.status import check_clients, examine_connection
from memoria.connectors.clients.table import CLIENTS
from memoria.connectors.clients.wiring import (
    ClientWiring,
    draft_connection,
    draft_removal,
    list_documents,
)
from memoria.errors import ClientError

DAMAGE = {
    "no JSON": b"not json",
    "cut short": b'{"mcpServers": {"memoria": {"command": "/x/mem',
    "no UTF-8": b"\xff\xfe{",
    "zeros": b"\0" * 64,
    "too deep": b"[" * 600,
    "a comma too many": b'{"mcpServers": {,}}',
}
ODD_VALUES: list[object] = [
    *(None, 5, True, "x", "", [], [None], {}, "memoria hook", ["memoria hook"]),
    *({"command": 5}, {"command": [5, None]}, {"command": {}, "args": "serve"}, {"command": []}),
    *({"command": "/x/memoria", "args": odd} for odd in (5, {"a": 1}, ["serve", {}])),
    *({"command": "/x/memoria", "args": ["--home", odd, "serve"]} for odd in ("\0", "", None)),
    {"command": "/x/memoria", "args": ["serve"], "env_vars": [{}], "env": [1], "enabled": "no"},
    *([{"name": "memoria", "args": 5}], [{"hooks": 5}, 5], {"hooks": "memoria hook"}),
]
ODD_TEXTS = {
    "JSON": (
        b"5",
        b"null",
        b'{"a": ' + b"9" * 6_000 + b"}",
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    ),
    "TOML": (b"a = " + b"9" * 6_000, b"mcp_servers = 5", b"[a]\n[a]", b"a = " + b"[" * 5_000),
    "YAML": (b"1: 2\n2020-01-01: 3", b"a: &a [*a]", b"a: " + b"9" * 6_000, b"a: 1\n---\nb: 2"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_a_damaged_file_is_named_with_what_to_do_and_the_other_clients_are_disconnected(
    box: ClientBox, damage: bytes
) -> None:
    for name in ("gemini", "cursor", "opencode"):
        assert box("connect", name, "--yes", "--no-hooks").code == 0
    file = box.write(".cursor/mcp.json", damage)
    done = box("disconnect", "--yes")
    assert (done.code, str(file) in done.err) == (1, True)
    assert "Nothing was changed" in done.err
    assert file.read_bytes() == damage
    assert [*box.user.rglob(".gemini/*"), *box.user.rglob("opencode/*")] == []
    assert f"{file}" in box("disconnect", "cursor", "--yes").err
    assert f"{file}" in box("connect", "cursor", "--yes").err
    assert file.read_bytes() == damage


@pytest.mark.parametrize("client", ["cursor", "opencode"])
def test_the_status_and_doctor_name_a_damaged_file(box: ClientBox, client: str) -> None:
    assert box("connect", client, "--yes").code == 0
    file = next(client_.config(ClientPlace.here(), "user") for client_ in CLIENTS
                if client_.name == client)  # fmt: skip
    assert file is not None
    file.write_bytes(DAMAGE["cut short"])
    (status,) = box.shell.json("connect", "--status", code=4)["connections"]
    assert (status["client"], str(file) in status["problem"]) == (client, True)
    box.shell.begin()
    (found,) = (one for one in box.shell.json("doctor")["findings"] if one["check"] == "clients")
    assert (found["state"], str(file) in found["detail"]) == ("warning", True)


@pytest.mark.parametrize("client", CLIENTS, ids=[client.name for client in CLIENTS])
def test_whatever_stands_in_a_client_s_file_is_edited_or_refused(
    box: ClientBox, client: Client
) -> None:
    place, program = ClientPlace.here(), ClientProgram.here("/h", None, None)
    for path, parts in list_documents(client, "user", place, program, HookWish()).items():
        spots = [parts.entry_at, parts.entry_at[:1], client.other_entry_at, parts.hooks_at,
                 *((*parts.hooks_at, event) for event in [*parts.hooks][:1])]  # fmt: skip
        texts = [*DAMAGE.values(), *ODD_TEXTS[parts.syntax]]
        if parts.syntax != "TOML":  # JSON is YAML, too
            texts += [_nest(spot, odd) for spot in spots if spot for odd in ODD_VALUES]
        for text in texts:
            box.write(str(path.relative_to(box.user)), text)
            for draft in (
                lambda: draft_connection(client, "user", place, program, HookWish()),
                lambda: draft_removal(client, "user", place, program, by_hand=True),
                lambda: draft_removal(client, "user", place, program, by_hand=False),
            ):
                assert str(path) in _refusal_of(draft, path), text
            examine_connection(client, "user", place, program)
        check_clients(place, program)
        path.unlink()


def _refusal_of(draft: Callable[[], ClientWiring], path: Path) -> str:
    """What a draft was refused with; the path itself, if it was not."""
    try:
        draft()
    except ClientError as error:
        return str(error)
    return str(path)


def _nest(path: tuple[str, ...], value: object) -> bytes:
    for key in reversed(path):
        value = {key: value}
    return json.dumps(value).encode()


def test_a_ledger_that_is_damaged_is_none(box: ClientBox) -> None:
    ledger = ConnectionLedger(ClientPlace.here().ledger)
    entry = LedgerEntry(client="cursor", made_file=True)
    file = box.user / "x.json"
    files: list[object] = [None, [], {str(file): None}, {str(file): {"client": "cursor"}}]
    odd = [{"version": 1, "made_folders": [], "files": one} for one in files]
    for held in (b"", b"\xff", b"[]", *(json.dumps(one).encode() for one in odd)):
        box.write(".local/state/memoria/connections.json", held)
        assert ledger.look_up(file) is None
        ledger.write(file, entry)
        assert ledger.look_up(file) == entry


def test_the_command_of_an_entry_is_what_it_starts_and_nothing_where_it_names_none() -> None:
    assert command_in({"command": "m", "args": ["serve"]}) == ("m", "serve")
    assert command_in({"command": ["m", "serve"]}) == ("m", "serve")
    assert command_in({"cmd": "m", "args": 5}) == ("m",)
    nothing: list[object] = [None, 5, "m", [], {}, {"args": ["x"]}]
    assert [command_in(one) for one in nothing] == [()] * 6
