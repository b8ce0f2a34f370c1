"""A token is handed over once with what each client needs, and the log says who did what."""

import json
import re
import tomllib
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.connectors.clients.interface import ClientPlace
from memoria.connectors.clients.table import CLIENTS
from memoria.model.access import TokenText


def test_a_new_token_comes_with_what_is_pasted_into_each_client(shell: Shell) -> None:
    made = shell("token", "create", "--url", "https://m.example.com/", "--json").document
    text, clients = made["text"], made["clients"]
    assert TokenText.parse(text) is not None
    shown = json.dumps(clients)
    assert shown.count("https://m.example.com/mcp") == shown.count(f"Bearer {text}") == 6
    printed = shell("token", "create", COLUMNS="60").out
    assert "memoria connect CLIENT --url http://127.0.0.1:8420\n" in printed
    (entry,) = re.findall(r"/.cursor/mcp.json:\n(\{.*?\n\})\n", printed, re.DOTALL)
    assert json.loads(entry)["mcpServers"]["memoria"]["url"] == "http://127.0.0.1:8420/mcp"
    assert "claude mcp add" not in printed  # a shell keeps what it was told
    assert ".vscode" not in printed  # a project's file


def test_what_is_pasted_is_what_connect_writes(shell: Shell) -> None:
    made = shell("token", "create", "--url", "https://m.example.com/", "--json").document
    place = ClientPlace.here()
    for shown, block in made["clients"].items():
        title, _, file = shown.partition(", ")
        (client,) = [one for one in CLIENTS if one.title == title]
        assert Path(file).expanduser() == client.config(place, "user")
        assert client.remote is not None
        found = tomllib.loads(block) if client.syntax == "TOML" else json.loads(block)
        wanted = client.remote.write("https://m.example.com/mcp", f"Bearer {made['text']}")
        assert reduce(getitem, client.entry_at, found) == wanted


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8420", 'https://a.b/"; rm -rf x', "https://a.b/\nx", "http://192.168.1.2:8420"],
)
def test_an_address_that_breaks_out_of_what_is_pasted_or_shows_the_token_to_a_network_is_refused(
    shell: Shell, url: str
) -> None:
    done = shell("token", "create", "--url", url)
    assert done.code == 2
    assert "https" in done.err
    assert "mem_" not in done.out


def test_the_log_says_who_did_what_newest_first(shell: Shell) -> None:
    shell("remember", "The ferry leaves at nine.")
    made = shell("token", "create", "--label", "laptop", "--json").document
    shell("token", "revoke", made["token"]["id"])
    told = shell("log").out
    places = [told.index(word) for word in ("revoked a token", "created a token", "remembered")]
    assert places == sorted(places)
    assert "on the command line" in told
    assert "created a token: laptop, write" in told
    assert "ferry" not in told
    (newest,) = shell("log", "--limit", "1", "--json").document["actions"]
    assert newest["action"] == "revoke token"
    assert newest["subject"] == made["token"]["id"]
    assert shell("log", "--since", "2999-01-01").out == "Nothing was done yet.\n"
    assert shell("log", "--since", "yesterweek").code == 1


def test_nobody_listens_where_others_reach_it_while_nobody_may_come_in(shell: Shell) -> None:
    made = shell("token", "create", "--json").document
    shell("token", "revoke", made["token"]["id"])
    refused = shell("serve", "--http", "0.0.0.0:0")
    assert refused.code == 1
    assert "memoria token create" in refused.err


def test_the_log_calls_a_correction_one_and_tells_of_exports(shell: Shell, tmp_path: Path) -> None:
    kept = shell("remember", "The ferry leaves at nine.", "--json").document["id"]
    assert shell("revise", kept, "correct", "The ferry leaves at ten.").code == 0
    assert shell("export", tmp_path / "all.jsonl").code == 0
    assert shell("export", tmp_path / "notes", "--format", "markdown").code == 0
    told = shell("log").out
    assert told.count("exported") == 2
    assert "corrected\n" in told
    assert "forgotten" not in told


def test_who_runs_the_server_sees_the_tokens_of_all_tenants_and_ends_any(shell: Shell) -> None:
    made = {
        tenant: shell("--tenant", tenant, "token", "create", "--json").document["token"]["id"]
        for tenant in ("ann", "ben")
    }
    listed = shell("token", "--json").document["tokens"]
    assert {(one["tenant"], one["id"]) for one in listed} == set(made.items())
    assert "ben: write" in shell("token").out
    assert shell("token", "revoke", made["ben"][-8:]).code == 0
    assert "revoked" in shell("--tenant", "ben", "token").out
    assert "revoked" not in shell("--tenant", "ann", "token").out
    assert made["ben"] not in json.dumps(shell("--tenant", "ann", "token", "--json").document)
    unknown = shell("token", "revoke", "00000000")
    assert unknown.code == 1
    assert "00000000" in unknown.err


@pytest.mark.sqlite("a file for each tenant")
def test_in_a_folder_of_homes_a_token_is_found_in_whichever_home_has_it(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {"MEMORIA_HOMES": str(tmp_path / "homes")})
    assert "no token" in shell.run("token").out
    shell.run("--tenant", "ann", "token", "create")
    made = shell.run("--tenant", "ben", "token", "create", "--json").document["token"]["id"]
    told = shell.run("token").out
    assert "ann: write" in told
    assert shell.run("token", "revoke", made[-8:]).code == 0
    assert "revoked" in shell.run("--tenant", "ben", "token").out
    assert len(list((tmp_path / "homes").iterdir())) == 2


@pytest.mark.parametrize("expires", ["2020-01-01", "soonish"])
def test_an_end_that_no_token_can_have_is_refused_in_words_about_tokens(
    shell: Shell, expires: str
) -> None:
    refused = shell("token", "create", "--expires", expires)
    assert refused.code == 1
    assert "--expires" in refused.err
    assert "until:" not in refused.err


def test_a_token_that_never_expires_can_be_asked_for_so(shell: Shell) -> None:
    assert (
        "expires_at"
        not in shell("token", "create", "--expires", "never", "--json").document["token"]
    )
