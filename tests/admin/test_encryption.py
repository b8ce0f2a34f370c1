"""An encrypted home: no word of it stands in any file, and who has lost the key is told so.

Commands are run in processes of their own, as the library that encrypts is chosen when one starts.
"""

import json
import re
import secrets
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.databases import process_environment
from tests.surface.hook.clients import prompts
from tests.surface.shell import Output, Shell

import memoria
from memoria.bare.sealing import MARK, SEAL, VARIABLE, digest_of
from memoria.bare.spool import list_waiting, read_failures
from memoria.surface.cli.console import Exit

pytestmark = pytest.mark.sqlite("PostgreSQL's own server encrypts its files")

HOOK = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
ROOT = Path(__file__).parents[2]
KEY = secrets.token_hex(32)
LONGEST_S = 120
BEFORE = ("flamingotel", "长颈鹿邮局", "walrusfish", "企鹅银行")
"""Words that are in the home when it is encrypted."""
AFTER = ("tapirbridge", "犀牛钟楼", "ocelotfont", "树懒车站", "quokkapier", "水獭戏院")
"""Words that come into it later."""
ZSTD = b"\x28\xb5\x2f\xfd"
RUN = """
import json, os, sys
from tests.surface.shell import Shell
from pathlib import Path
shell = Shell(Path(sys.argv[1]), {"MEMORIA_EMBEDDER": os.environ["MEMORIA_EMBEDDER"]})
done = [shell(*arguments) for arguments in json.loads(sys.argv[2])]
print(json.dumps([(one.code, one.out, one.err) for one in done]))
"""
KILLED = """
import asyncio, os, signal, sys, memoria
async def run():
    async with memoria.open(home=sys.argv[1]) as memory:
        await memory.remember(sys.argv[2])
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(run())
"""


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    (tmp_path / "temp").mkdir()
    return Shell(home, {"TMPDIR": str(tmp_path / "temp"), VARIABLE: ""})


@pytest.fixture
def keyed(shell: Shell) -> Shell:
    return Shell(shell.home, {**shell.environment, VARIABLE: KEY})


def _run(shell: Shell, *commands: str) -> list[Output]:
    """Run commands one after another in one new process."""
    arguments = json.dumps([shlex.split(one) for one in commands])
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", RUN, str(shell.home), arguments],
        env=process_environment(shell.home, **shell.environment),
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return [Output(*one) for one in json.loads(done.stdout)]


def _do(shell: Shell, *commands: str) -> list[str]:
    """Run commands that must succeed; return what they said."""
    done = _run(shell, *commands)
    assert [(one.code, one.err) for one in done] == [(0, "")] * len(commands)
    return [one.out for one in done]


def _is_found(shell: Shell, *words: str) -> bool:
    """Whether each word is found again, among memories or in the record."""
    both = [f"{verb} {word} --json" for word in words for verb in ("search", "traces")]
    said = _do(shell, *both)
    return all(word in said[2 * n] + said[2 * n + 1] for n, word in enumerate(words))


def _tell(shell: Shell, text: str) -> None:
    """Have a client's hook tell a prompt, and wait until it is in the spool, or noted as lost."""
    home = str(shell.home)
    before = len(list_waiting(home, "default")) + len(read_failures(home, "default"))
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(HOOK), "vscode", "--home", home],
        input=json.dumps(prompts(text)["vscode"]).encode(),
        env=process_environment(shell.home, **shell.environment),
        check=False,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    deadline = time.monotonic() + LONGEST_S
    while len(list_waiting(home, "default")) + len(read_failures(home, "default")) == before:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _read_everything(folder: Path) -> Iterable[tuple[str, bytes]]:
    """Every file's name and bytes, what archives have in them, and what was compressed."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        contents = [str(file).encode() + b"\n" + file.read_bytes()]
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                contents += [packed.read(name) for name in packed.namelist()]
        for content in contents:
            yield str(file), content
            for found in re.finditer(re.escape(ZSTD), content):
                yield str(file), _unpack_from(content[found.start() :])


def _unpack_from(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    try:
        return zstd.ZstdDecompressor().decompress(content)
    except zstd.ZstdError:  # four bytes by chance, or in pieces
        return b""


def _find(folder: Path, words: Iterable[str]) -> dict[str, list[str]]:
    """In which files each of some words stands."""
    found: dict[str, list[str]] = {word: [] for word in words}
    for file, content in _read_everything(folder):
        lower = content.lower()
        for word, files in found.items():
            if any(word.encode(code) in lower for code in ("utf-8", "utf-16-le", "utf-16-be")):
                files.append(file)
    return found


def _bytes_of(home: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in home.rglob("*") if file.is_file()}


def _fill(shell: Shell) -> None:
    long = " and so on, as it was said and written down at length" * 20
    _tell(shell, f"the {BEFORE[2]} is to be fed at noon, {BEFORE[3]}也是{long}")
    _do(
        shell,
        f"remember 'We always meet in the {BEFORE[0]} in spring' --type rule",
        f"remember 我们总是在{BEFORE[1]}寄信",
        "nightly",
        "backup",
    )


def test_after_encryption_no_word_stands_in_any_file(
    shell: Shell, keyed: Shell, tmp_path: Path
) -> None:
    _fill(shell)
    _tell(shell, f"{BEFORE[2]} waits in the spool with the {BEFORE[3]}")
    assert all(_find(tmp_path, BEFORE).values())  # the look finds what is there
    (said,) = _do(keyed, "encrypt")
    assert "1 backup" in said
    assert not any(_find(tmp_path, BEFORE).values())

    _tell(keyed, f"set the {AFTER[2]} twice, then {AFTER[3]}" + " with all its letters" * 40)
    words = (*BEFORE, *AFTER)
    assert not any(_find(tmp_path, words).values())  # while it waits in the spool
    export = tmp_path / "export.jsonl"
    _do(
        keyed,
        f"remember 'The harbour has a {AFTER[0]} by the old mill'",
        f"remember 以后都走{AFTER[1]}那条路 --type rule",
        "nightly",
        "backup",
        f"export {export}",
    )
    killed = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", KILLED, str(keyed.home), f"{AFTER[4]} and {AFTER[5]}"],
        env=process_environment(keyed.home, **keyed.environment),
        check=False,
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL
    assert (keyed.home / "memoria.db-wal").stat().st_size
    assert not any(_find(tmp_path, words).values())
    assert _is_found(keyed, *words)

    backups = sorted((keyed.home / "backups").glob("*.zip"))
    _do(keyed, f"restore {backups[0]} --yes", f"import {export}")
    assert _is_found(keyed, *BEFORE, *AFTER[:4])
    assert not any(_find(tmp_path, words).values())


def test_what_is_decrypted_is_as_it_was(shell: Shell, keyed: Shell, tmp_path: Path) -> None:
    _fill(shell)
    before = {file: file.read_bytes() for file in (shell.home / "projects").rglob("MEMORY.md")}
    assert before
    (on,) = _do(keyed, "encrypt --json")
    assert all(file.read_bytes().startswith(SEAL) for file in before)
    (off,) = _do(keyed, "encrypt --off --json")
    assert json.loads(on)["rows"] == json.loads(off)["rows"] != {}
    assert {file: file.read_bytes() for file in before} == before
    assert not (shell.home / MARK).exists()
    assert all(_find(tmp_path, BEFORE).values())
    assert _is_found(shell, *BEFORE)
    _do(shell, "doctor")


def test_a_lost_key_and_another_key_are_explained_and_nothing_is_changed(
    shell: Shell, keyed: Shell, tmp_path: Path
) -> None:
    _do(keyed, f"remember 'The {BEFORE[0]} opens at nine'", "backup")
    other = Shell(shell.home, {**shell.environment, VARIABLE: "ab" * 32})
    before = _bytes_of(shell.home)
    (backup,) = (shell.home / "backups").glob("*.zip")
    for opener, said in ((shell, "names no key"), (other, "names another key")):
        tried = ("search opens", "backup", "nightly", "encrypt --off", f"restore {backup} --yes")
        *refused, looked = _run(opener, *tried, "doctor --json")
        for one in refused:
            assert one.code == 1
            assert said in one.err
            assert digest_of(bytes.fromhex(KEY)) in one.err
        assert looked.code == Exit.UNSOUND
        assert said in looked.out
    _tell(shell, f"{BEFORE[2]}, please")
    assert read_failures(str(shell.home), "default")
    assert not any(_find(shell.home, BEFORE[2:3]).values())
    after = _bytes_of(shell.home)
    assert {name: after[name] for name in before} == before
    key_file = tmp_path / "key"
    key_file.write_text(f"{KEY}\n")
    assert _is_found(Shell(shell.home, {**shell.environment, VARIABLE: str(key_file)}), BEFORE[0])


def test_a_plain_home_is_not_used_with_a_key_and_not_encrypted_without_one(
    shell: Shell, keyed: Shell
) -> None:
    _do(shell, f"remember 'The {BEFORE[0]} opens at nine'")
    before = (shell.home / "memoria.db").read_bytes()
    (refused,) = _run(keyed, "search opens")
    assert refused.code == 1
    assert "is not encrypted" in refused.err
    (refused,) = _run(shell, "encrypt")
    assert refused.code == 1
    assert "names no key" in refused.err
    assert (shell.home / "memoria.db").read_bytes() == before


def test_an_encryption_that_was_stopped_goes_on(shell: Shell, keyed: Shell) -> None:
    _fill(shell)
    (shell.home / MARK).write_text(f"{digest_of(bytes.fromhex(KEY))}\n")  # all that is there then
    refused, done = _run(keyed, "search spring", "encrypt")
    assert refused.code == 1
    assert "`memoria encrypt` was stopped" in refused.err
    assert done.code == 0
    assert not any(_find(shell.home, BEFORE).values())
    assert _is_found(keyed, *BEFORE)


async def test_a_home_in_use_is_not_encrypted(shell: Shell, keyed: Shell) -> None:
    async with memoria.open(home=shell.home) as memory:
        await memory.remember(f"The {BEFORE[0]} opens at nine")
        (refused,) = _run(keyed, "encrypt")
        assert refused.code == 1
        assert "Another process has" in refused.err
        await memory.remember(f"The {BEFORE[1]} stays plain")
    assert _is_found(shell, *BEFORE[:2])
    assert not (shell.home / MARK).exists()


def test_a_new_home_with_a_key_is_encrypted_and_its_indexes_are_whole(keyed: Shell) -> None:
    _, looked, found = _do(
        Shell(keyed.home, {**keyed.environment, "MEMORIA_EMBEDDER": "bundled"}),
        f"remember 'The {BEFORE[0]} serves breakfast until ten'",
        "doctor --json",
        "search 'when can I eat in the morning'",
    )
    findings = {one["check"]: one for one in json.loads(looked)["findings"]}
    assert findings["engine"]["detail"].endswith("wal, encrypted")
    assert findings["vectors"]["detail"].startswith("1 indexed")
    assert {findings[one]["state"] for one in ("integrity", "full text", "vectors")} == {"ok"}
    assert BEFORE[0] in found
