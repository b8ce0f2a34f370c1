"""Project folders that somebody else has made: what to leave out, and which repository they are."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import anyio.to_thread

from bench.attack.arena import NOTHING, Arena, SkippedError
from bench.attack.attack import slow_attack
from bench.attack.handicaps import with_limits
from bench.attack.hooks import find_hook_commands, run_hook, write_transcript

_SOON_S = 30.0
_MORE_THAN_CALM_S = 1.5
_SPARSE = 3 << 30
_ROOM = 3 << 29
_MANY = 24
_DEEP = 12
_SECRET = "The deploy of this repo runs the zqquartz script"  # noqa: S105  (a made-up word)
_PATTERNS = {
    "many stars": "**/" * _MANY + "zq",
    "stars and names": "**/a/" * _MANY + "zq",
    "stars within a name": "*a" * _MANY + "b",
    "a pattern without end": "a" * (4 << 20),
    "many patterns": "**/a/**/zq\n" * 200_000,
}


def _need_posix() -> None:
    if sys.platform == "win32":
        raise SkippedError("pipes and devices are another matter on Windows")


def _make_traps(root: Path) -> dict[str, Path]:
    """Make hostile folders, and give the deepest of each by what is hostile in it."""
    traps: dict[str, Path] = {}
    for number, (what, pattern) in enumerate(_PATTERNS.items()):
        trap = root / f"trap-{number}"
        traps[what] = trap.joinpath(*("a" * 40,) * 2, *("a",) * _DEEP)
        traps[what].mkdir(parents=True)
        (trap / ".memoriaignore").write_text(f"{pattern}\n", "utf-8")
    for name in ("pipe", "device", "giant"):
        traps[f"a {name}"] = root / name
        (root / name).mkdir()
    os.mkfifo(root / "pipe" / ".memoriaignore")
    (root / "device" / ".memoriaignore").symlink_to("/dev/zero")
    with (root / "giant" / ".memoriaignore").open("wb") as file:
        file.truncate(_SPARSE)
    return traps


async def _connect(arena: Arena) -> str:
    """Connect Claude Code; gives its hook's command."""
    (arena.folder / ".claude").mkdir()
    ran = await arena.run("connect", "claude-code", "--yes")
    arena.check(ran.code == 0, f"connect: {ran.text[-200:]}")
    return find_hook_commands(arena.folder, "UserPromptSubmit")[0]


@slow_attack
async def hang_hooks_through_what_a_folder_leaves_out(arena: Arena) -> None:
    """Work in folders whose .memoriaignore takes for ever: a hook ends as soon as elsewhere."""
    _need_posix()
    command = await _connect(arena)
    calm = arena.folder / "calm"
    calm.mkdir()
    took: dict[str, float] = {}
    for what, folder in {"nothing": calm, **_make_traps(arena.folder / "traps")}.items():
        session = str(uuid.uuid4())
        transcript = write_transcript(arena, session, folder, "The kiln is warm")
        payload = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": session,
            "transcript_path": str(transcript),
            "cwd": str(folder),
            "prompt": "The kiln is warm",
        }
        heard = await run_hook(arena, command, payload)
        arena.check(heard.code == 0, f"{what}: a hook ends with {heard.code}")
        took[what] = heard.seconds
    for what, seconds in took.items():
        late = seconds > took["nothing"] + _MORE_THAN_CALM_S
        arena.check(not late, f"{what}: a hook takes {seconds:.1f} s")


@slow_attack
async def hang_imports_through_what_a_folder_leaves_out(arena: Arena) -> None:
    """Import sessions held in such folders, beside a good one: it ends, and the good one is in."""
    _need_posix()
    for number, folder in enumerate(_make_traps(arena.folder / "traps").values()):
        write_transcript(arena, str(uuid.uuid4()), folder, f"The barn {number} is red")
    calm = arena.folder / "calm"
    calm.mkdir()
    write_transcript(arena, str(uuid.uuid4()), calm, "The kiln is warm")
    ran = await arena.run_in(
        arena.folder, "import", arena.folder / ".claude", "--no-wait", timeout_s=_SOON_S
    )
    arena.check(ran.code is not None, "an import does not end")
    arena.check("Traceback" not in ran.err, f"{ran.err[-200:]}")
    found = await arena.run("traces", "kiln")
    arena.check("kiln is warm" in found.out, "the session of another folder was not imported")


@slow_attack
async def stop_the_intake_of_all_sessions_from_one_folder(arena: Arena) -> None:
    """Enter such a folder in one session: others are taken in and found; server and forget end."""
    _need_posix()
    command = await _connect(arena)
    calm = arena.folder / "calm"
    calm.mkdir()
    for folder in _make_traps(arena.folder / "traps").values():
        await _tell(arena, command, calm, write_transcript(arena, str(uuid.uuid4()), folder, "Hm"))
    transcript = write_transcript(arena, str(uuid.uuid4()), calm, "Remember: the kiln is warm.")
    await _tell(arena, command, calm, transcript)
    with arena.start("serve") as server:
        found = await _until_found(arena, "kiln is warm")
        arena.check(found, "what was said in another session is not found")
        code = await anyio.to_thread.run_sync(_end, server)
        arena.check(code is not None, "the server does not end with its client")
    forgotten = await arena.run_in(
        arena.folder, "forget", "--topic", "kiln", "--yes", timeout_s=_SOON_S
    )
    arena.check(forgotten.code is not None, "a forget does not end")


async def _tell(arena: Arena, command: str, folder: Path, transcript: Path) -> None:
    """Tell a hook of a session that began elsewhere."""
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": transcript.stem,
        "transcript_path": str(transcript),
        "cwd": str(folder),
        "prompt": "Hm",
    }
    await run_hook(arena, command, payload)


async def _until_found(arena: Arena, text: str) -> bool:
    with anyio.move_on_after(_SOON_S * 2):
        while True:
            found = await arena.run_in(arena.folder, "traces", text, timeout_s=_SOON_S)
            if text in found.out:
                return True
    return False


def _end(server: subprocess.Popen[bytes]) -> int | None:
    """Leave a server as its client would; gives its exit code, None if it stays."""
    if server.stdin is not None:
        server.stdin.close()
        server.stdin = None
    try:
        return server.wait(_SOON_S)
    except subprocess.TimeoutExpired:
        return None


def _git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    command = ["git", "-C", str(folder), *author, *arguments]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603  (in our own folder)


def _make_repository(folder: Path) -> None:
    folder.mkdir()
    _git(folder, "init", "-q")
    (folder / "a").write_text("a", "utf-8")
    _git(folder, "add", "a")
    _git(folder, "commit", "-qm", "a")


def _make_claimants(root: Path, good: Path) -> dict[str, Path]:
    """Make folders that claim to be another repository, by how they claim it."""
    heads = {
        "a relative path": "gitdir: ../good/.git",
        "an absolute path": f"gitdir: {good}/.git",
        "a worktree of its": f"gitdir: {good}/.git/worktrees/tree",
        "a folder of its own": "gitdir: own",
        "a path with ends": "gitdir: ../good/../good/.git\r\n",
    }
    claimants = {}
    for number, (what, head) in enumerate(heads.items()):
        folder = claimants[what] = root / f"claim-{number}"
        (folder / "own").mkdir(parents=True)
        (folder / ".git").write_text(f"{head}\n", "utf-8")
        (folder / "own" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
        (folder / "own" / "commondir").write_text("../../good/.git\n", "utf-8")
        (folder / "own" / "gitdir").write_text(f"{good}/.git\n", "utf-8")
    linked = claimants["a link"] = root / "claim-link"
    linked.mkdir()
    (linked / ".git").symlink_to(good / ".git")
    return claimants


@slow_attack
async def pass_for_another_repository(arena: Arena) -> None:
    """Point a folder's .git at another repository: its memory is neither read nor written."""
    _need_posix()
    good = arena.folder / "good"
    _make_repository(good)
    _git(good, "worktree", "add", "-q", "../tree")
    await arena.run_in(good, "remember", _SECRET)
    private = {"MEMORIA_PRIVATE_WORKSPACES": str(good)}
    for what, folder in _make_claimants(arena.folder, good).items():
        for settings in (NOTHING, private):
            found = await arena.run_in(
                folder, "search", "deploy of this repo", environment=settings
            )
            arena.check("zqquartz" not in found.text, f"{what} {settings}: it reads")
        await arena.run_in(folder, "remember", f"This repo builds with zqmill ({what})")
    told = await arena.run_in(good, "search", "This repo builds with zqmill")
    arena.check("zqmill (" not in told.text, f"it writes: {told.text[-300:]}")
    for folder in (good, arena.folder / "tree"):
        found = await arena.run_in(folder, "search", "deploy of this repo")
        arena.check("zqquartz" in found.text, f"{folder.name} itself does not find it")


@slow_attack
async def fill_the_memory_with_a_giant_git_file(arena: Arena) -> None:
    """Start in folders whose .git is a sparse file of 3 GB, a pipe or a device."""
    _need_posix()
    limits = with_limits(arena.folder, AS=_ROOM)
    await arena.run("remember", "The user keeps a warm kiln", "--scope", "everywhere")
    for name in ("sparse", "pipe", "device"):
        folder = arena.folder / name
        folder.mkdir()
        git = folder / ".git"
        match name:
            case "sparse":
                with git.open("wb") as file:
                    file.truncate(_SPARSE)
            case "pipe":
                os.mkfifo(git)
            case _:
                git.symlink_to("/dev/zero")
        ran = await arena.run_in(
            folder, "search", "warm kiln", timeout_s=_SOON_S, environment=limits
        )
        arena.check(ran.code is not None, f"{name}: it hangs")
        arena.check("Traceback" not in ran.err, f"{name}: {ran.err[-200:]}")
        arena.check("warm kiln" in ran.out, f"{name}: {ran.text[-200:]}")
