"""Tenants' folders of earlier versions are taken over, and none is given to two."""

from pathlib import Path

import pytest
from tests.connectors.schedules.schedulers import CRONTAB, machine
from tests.surface.shell import Shell

from memoria.app.engine import open_store
from memoria.app.upkeep import back_up, restore
from memoria.bare.home import OWNER_FILE, slug, tenant_folder
from memoria.bare.spool import append_entry, list_waiting, note_heard, read_heard
from memoria.config import Settings
from memoria.connectors.schedules.job import job_labels
from memoria.errors import StoreUnavailableError

TENANT = "李雷 & Söhne"
TWINS = ("用户二七一二九", "用户二七五四二")
"""Two names whose digests have the same first 32 bits."""
CORE = "PERSONA.md"
RULE = ("--type", "rule", "--subject", "assistant", "Answer in short sentences.")
"""Of whom it speaks decides that it stands in this core file."""


class Old:
    """A tenant's part of a home, as earlier versions named it."""

    def __init__(self, home: Path, tenant: str = TENANT) -> None:
        self.home = home
        self.tenant = tenant
        self.former = home / "tenants" / slug(tenant)
        self.folder = Path(tenant_folder(str(home), tenant))

    def go_back(self) -> None:
        """Have everything where it was."""
        self.former.unlink(missing_ok=True)
        self.folder.rename(self.former)
        (self.former / OWNER_FILE).unlink()

    def say(self, words: str) -> None:
        """Have a hook say something."""
        entry: dict[str, object] = {
            "v": 1, "client": "cursor", "event": "prompt", "session": "s", "at": 1_790_000_000_000,
            "turns": [{"role": "user", "content": words}],
        }  # fmt: skip
        append_entry(str(self.home), self.tenant, entry)

    def settings(self) -> Settings:
        return Settings.load(home=str(self.home), tenant=self.tenant, embedder="off")

    def open(self) -> None:
        open_store(self.settings()).close()


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home)


def ask(shell: Shell, *arguments: str | Path, tenant: str = TENANT) -> object:
    return shell.json("--tenant", tenant, *arguments)


@pytest.mark.sqlite("core files in folders")
def test_a_former_folder_is_taken_over_with_all_that_is_in_it(
    shell: Shell, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = machine(tmp_path, monkeypatch)
    box.script("crontab", CRONTAB)
    old = Old(home)
    ask(shell, "remember", *RULE)
    old.say("The gateway listens on port 7443.")
    note_heard(str(home), TENANT, "cursor")
    ask(shell, "nightly")
    ask(shell, "nightly", "schedule", "install")
    label, short = job_labels(old.settings())
    box.table = (box.table or b"").replace(label.encode(), short.encode())
    (old.folder / "nightly-job.json").write_text("{}", "utf-8")
    core = (old.folder / CORE).read_text("utf-8")
    (old.folder / CORE).write_text(f"{core}\n- Drink tea in the afternoon.\n", "utf-8")
    old.say("Said before the upgrade.")
    old.go_back()
    files = {file.relative_to(old.former) for file in old.former.rglob("*") if file.is_file()}

    shown = ask(shell, "nightly", "schedule", "show")  # which opens no database
    assert isinstance(shown, dict)
    assert [job["content"].split(" #")[1].strip() for job in shown["jobs"]] == [short]
    old.open()
    assert old.former.is_file()
    there = {file.relative_to(old.folder) for file in old.folder.rglob("*") if file.is_file()}
    assert there == files | {Path(OWNER_FILE)}
    assert (old.folder / OWNER_FILE).read_text("utf-8") == TENANT
    assert "cursor" in read_heard(str(home), TENANT)
    ask(shell, "nightly")
    assert list_waiting(str(home), TENANT) == []
    assert "Drink tea in the afternoon." in str(ask(shell, "list"))
    exported = ask(shell, "export", tmp_path / "export.jsonl")
    assert "Said before the upgrade." in (tmp_path / "export.jsonl").read_text("utf-8"), exported
    ask(shell, "forget", "--everything", "--yes")
    words = b"".join(file.read_bytes() for file in old.folder.rglob("*") if file.is_file())
    assert b"7443" not in words
    ask(shell, "nightly", "schedule", "remove")
    assert short.encode() not in (box.table or b"")


def test_what_hooks_have_said_since_is_moved_together_with_what_waited(
    shell: Shell, home: Path
) -> None:
    old = Old(home)
    ask(shell, "remember", "The launch is in May.")
    old.say("Before.")
    note_heard(str(home), TENANT, "cursor")
    old.go_back()
    old.say("After.")
    note_heard(str(home), TENANT, "cursor")
    old.open()
    assert len(list_waiting(str(home), TENANT)) == 2
    assert old.former.is_file()
    hits = ask(shell, "traces", "Before", "--workspace", "*")
    assert "After." in str(hits) or "Before." in str(hits)
    assert (old.folder / OWNER_FILE).read_text("utf-8") == TENANT


def test_any_tenant_that_opens_the_home_has_all_folders_taken_over(
    shell: Shell, home: Path
) -> None:
    old = Old(home)
    ask(shell, "remember", "The launch is in May.")
    old.say("Before.")
    old.go_back()
    open_store(Settings.from_values(home=home)).close()
    assert old.former.is_file()
    assert len(list_waiting(str(home), TENANT)) == 1


def test_a_folder_that_two_may_own_is_left_alone_and_named(shell: Shell, home: Path) -> None:
    one, other = (Old(home, name) for name in TWINS)
    assert one.former == other.former
    assert one.folder != other.folder
    for name in TWINS:
        ask(shell, "remember", f"I am {name}", tenant=name)
    one.former.mkdir(parents=True)
    (one.former / "USER.md").write_text("# USER.md\n\n- of nobody knows whom\n", "utf-8")
    for old in (one, other):
        old.open()
        assert not (old.folder / "USER.md").exists()
        assert f"I am {old.tenant}" in str(
            ask(shell, "list", "--workspace", "*", tenant=old.tenant)
        )
    assert (one.former / "USER.md").exists()
    doctor = shell("--tenant", TWINS[0], "doctor", "--json").document
    (finding,) = [one for one in doctor["findings"] if one["check"] == "tenants' folders"]
    assert finding["state"] == "warning"
    assert all(
        str(word) in finding["detail"] for word in (*TWINS, one.former, one.folder, other.folder)
    )


def test_nobody_who_is_new_is_given_a_folder_that_a_tenant_of_the_home_may_own(
    shell: Shell, home: Path
) -> None:
    owner, newcomer = (Old(home, name) for name in TWINS)
    ask(shell, "remember", "The launch is in May.", tenant=owner.tenant)
    owner.say("Mine.")
    owner.go_back()
    newcomer.open()
    assert not newcomer.folder.exists()
    owner.open()
    assert len(list_waiting(str(home), owner.tenant)) == 1


def test_an_earlier_version_that_still_runs_begins_no_second_folder(
    shell: Shell, home: Path
) -> None:
    old = Old(home)
    ask(shell, "remember", "The launch is in May.")
    old.say("Before.")
    old.go_back()
    old.open()
    with pytest.raises(OSError, match=r"exists|Not a directory|cannot find"):
        (old.former / "spool").mkdir(parents=True)


@pytest.mark.sqlite("a backup is a copy of the file")
def test_a_backup_of_an_earlier_version_is_restored_into_the_present_folder(
    shell: Shell, home: Path, tmp_path: Path
) -> None:
    old = Old(home)
    ask(shell, "remember", *RULE)
    ask(shell, "nightly")
    old.go_back()
    before = (old.former / CORE).read_text("utf-8")
    backup = tmp_path / "backup.zip"
    back_up(old.settings(), backup, lambda *_: None)
    assert old.former.is_dir()
    old.open()
    (old.folder / CORE).write_text("# later\n", "utf-8")
    restore(old.settings(), backup, lambda *_: None)
    old.open()
    assert "short sentences" in before
    assert (old.folder / CORE).read_text("utf-8") == before
    assert old.former.is_file()


def test_a_folder_that_says_another_s_name_is_refused(shell: Shell, home: Path) -> None:
    old = Old(home)
    ask(shell, "remember", "The launch is in May.")
    old.say("Before.")
    (old.folder / OWNER_FILE).write_text("ann", "utf-8")
    with pytest.raises(StoreUnavailableError, match="of the tenant"):
        old.open()
