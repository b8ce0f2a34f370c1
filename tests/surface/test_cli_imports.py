"""What `memoria import` says at the end: from where it is seen, and what comes next."""

import json
from pathlib import Path

import pytest
from tests.surface.shell import Shell


@pytest.fixture
def shell(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command in a folder that is no project."""
    monkeypatch.delenv("MEMORIA_WORKSPACE", raising=False)
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    return Shell(home).begin()


def transcript(folder: Path, cwd: Path, *said: str) -> Path:
    file = folder / f"{cwd.name}.jsonl"
    lines = [
        {
            "type": "user",
            "cwd": str(cwd),
            "sessionId": f"in-{cwd.name}",
            "uuid": f"{cwd.name}-{n}",
            "timestamp": f"2026-03-01T08:0{n}:00Z",
            "message": {"role": "user", "content": words},
        }
        for n, words in enumerate(said)
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return file


def test_an_import_says_from_where_its_turns_are_seen(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "transcripts"
    project, plain = tmp_path / "boat", tmp_path / "letters"
    for each in (folder, plain, project / ".git"):
        each.mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    transcript(folder, project, "Paint the boat blue.", "船上要两层漆。")
    transcript(folder, plain, "Write to Mira about the tent.")
    done = shell("import", folder, "--format", "claude-code")
    assert done.code == 0, done.err
    assert "seen from   every project: 1 turn of no git repository" in done.out
    assert f"{project} alone: 2 turns" in done.out
    assert [one["text"] for one in shell.json("traces", "Mira", "tent")["hits"]] != []
    assert "boat" not in str(shell.json("traces", "boat", "blue")["hits"])
    assert "boat" in str(shell.json("--workspace", project, "traces", "boat", "blue"))


def test_an_imported_export_says_what_comes_next_as_every_import_does(
    shell: Shell, tmp_path: Path
) -> None:
    shell("remember", "帐篷在门上方漏水")
    export = tmp_path / "all.jsonl"
    assert shell("export", export).code == 0
    other = Shell(tmp_path / "other", shell.environment)
    assert other("import", export).out.endswith("\n\nNext: memoria list\n")
    assert other.json("import", export)["next"] == "memoria list"
    assert shell("list").out.endswith("\nSee where one comes from: memoria show ID\n")
    session = tmp_path / "chat.jsonl"
    session.write_text(json.dumps({"role": "user", "content": "Mira has the keys."}), "utf-8")
    assert other("import", session).code == 0
    assert other("list", "sessions").out.endswith("\nRead one: memoria show ID\n")


def test_what_a_model_would_still_read_is_told_in_tokens_and_at_a_price_to_multiply(
    shell: Shell, tmp_path: Path
) -> None:
    long = " ".join(f"On day {n} Mira varnished plank {n} of the boat." for n in range(3_000))
    chat = tmp_path / "chat.jsonl"
    for words, price in ((long, "0.1"), ("短短一句。", "less than 0.01")):
        turn = {"role": "user", "content": words, "session_id": words[:3]}
        chat.write_text(json.dumps(turn), "utf-8")
        done = " ".join(shell("import", chat, "--no-wait").out.split())
        assert "tokens of conversation to make memories of it: about" in done
        assert f" tokens in all (at a price of 1.00 a million, {price}" in done


def test_one_person_of_two_imports_and_two_spellings_is_one_entity(
    shell: Shell, tmp_path: Path
) -> None:
    people = [("Mira Holm", "Lives in Ghent"), ("mira_holm", "Has a boat"), ("王敏", "打羽毛球")]
    file = tmp_path / "memory.jsonl"
    for each in ((people[0], people[2]), people, people):
        lines = [
            {"type": "entity", "name": name, "entityType": "person", "observations": [said]}
            for name, said in each
        ]
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        assert shell("import", file, "--format", "server-memory", "--no-wait").code == 0
    known = {name: shell.json("show", name) for name, _ in people}
    assert known["Mira Holm"]["entity"]["id"] == known["mira_holm"]["entity"]["id"]
    assert [len(one["memories"]) for one in known.values()] == [2, 2, 1]
