"""What a hook costs its client, and that no trouble of ours is the client's.

Each round starts a bare Python (`python -I -S -c pass`), then a hook of each client and event, so
that a busy moment of the machine strikes all of them; the first round fills the caches and is not
counted. Then hooks run in homes that are in trouble, beside servers and without one. Each must end
with 0, complain of nothing, and print nothing or JSON.

    python -m bench.hooks
    python -m bench.hooks --rounds 40 --json
"""

import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from rich.console import Console
from tests.surface.hook.clients import EVENTS, Payload, place, prompts, starts, tools

import memoria
from bench.data import data_folder
from bench.output import rounded, table
from memoria.bare.ask import list_addresses
from memoria.surface.hook.sieve import is_surely_clean

_PACKAGE = Path(memoria.__file__).parent
_PROGRAM = _PACKAGE / "surface" / "hook" / "__main__.py"
_BARE = (sys.executable, "-I", "-S")
_PROMPTS = {
    "BEAM": "beam/beam_dev.json",
    "LongMemEval": "longmemeval_mini/mn_3haystacks.json",
    "MemoryBank, English": "memorybank/memory_bank_en.json",
    "MemoryBank, Chinese": "memorybank/memory_bank_cn.json",
}
_MOST_CPU_MS = 30.0
_P95 = 94
_PATIENCE_S = 60
_HUGE = 5_000_000
_TO_BE_CLEANED = "The password is correct-horse-7Batt3ry!"
_NO_JSON = b'{"hook_event_name": "UserPromptSubmit", "prompt": '


@dataclass(frozen=True, slots=True)
class Run:
    """One process, from before it was made until it was gone."""

    wall_ms: float
    cpu_ms: float
    code: int
    out: bytes
    err: bytes

    @property
    def is_harmless(self) -> bool:
        """Whether its client could go on as if nothing had been."""
        try:
            json.loads(self.out or b"{}")
        except ValueError:
            return False
        return self.code == 0 and not self.err


@dataclass(frozen=True, slots=True)
class Cost:
    """What a hook takes, and a bare Python in the same rounds."""

    client: str
    event: str
    cpu_ms: float
    cpu_p95_ms: float
    bare_cpu_ms: float
    wall_ms: float
    wall_p95_ms: float
    bare_wall_ms: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """Hooks in a home that is in trouble."""

    name: str
    runs: int
    harmless: int
    slowest_ms: float
    spooled: int


@dataclass(frozen=True, slots=True)
class Passed:
    """Prompts of a data set that surely hold no secret."""

    name: str
    prompts: int
    share: float


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print.

    Returns:
        The exit code: 0, or 1 where a hook costs too much or harms its client. What 5 MB cost is
        only said: to read them alone takes a third of the limit.
    """
    arguments = _parser().parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="memoria-hooks-") as folder:
        root = Path(folder)
        costs = list(_measure(root, arguments.rounds))
        troubles = list(_try_troubles(root))
    passed = list(_sift(data_folder()))
    _print(costs, troubles, passed, as_json=arguments.json)
    is_cheap = all(
        cost.cpu_ms - cost.bare_cpu_ms <= _MOST_CPU_MS for cost in costs if "MB" not in cost.event
    )
    return 0 if is_cheap and all(one.harmless == one.runs for one in troubles) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.hooks")
    parser.add_argument("--rounds", type=int, default=20, help="starts of each hook")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _measure(root: Path, rounds: int) -> Iterator[Cost]:
    transcript = root / "transcript.jsonl"
    transcript.write_text("{}\n")
    home = root / "costs"
    told = {
        (client, event): place(said, root, transcript)
        for event, make in EVENTS.items()
        for client, said in make().items()
    }
    told |= {(client, "prompt, handed over"): place(prompts(_TO_BE_CLEANED)[client], root)
             for client in ("cursor", "opencode")}  # fmt: skip
    huge = tools("x" * _HUGE)
    told |= {(client, "tool, 5 MB"): place(huge[client], root, transcript)
             for client in ("claude-code", "cursor")}  # fmt: skip
    bare: list[Run] = []
    runs: dict[tuple[str, str], list[Run]] = {key: [] for key in told}
    with _servers(home, 1):
        for _ in range(1 + rounds):
            bare.append(run_program([*_BARE, "-c", "pass"], b""))
            for (client, event), said in told.items():
                runs[client, event].append(_run_hook(home, client, said))
    for (client, event), each in runs.items():
        cpu, wall = [run.cpu_ms for run in each[1:]], [run.wall_ms for run in each[1:]]
        yield Cost(
            client,
            event,
            *_summary(cpu),
            median(run.cpu_ms for run in bare[1:]),
            *_summary(wall),
            median(run.wall_ms for run in bare[1:]),
        )


def _try_troubles(root: Path) -> Iterator[Trouble]:
    for name, scene in _SCENES.items():
        home = root / name.replace(" ", "-")
        transcript = root / "transcript.jsonl"
        said: list[tuple[str, Payload]] = [
            ("cursor", place(prompts("Use pnpm here, never npm.")["cursor"], root)),
            ("claude-code", place(prompts("Use pnpm.")["claude-code"], root, transcript)),
            ("claude-code", place(starts()["claude-code"], root, transcript)),
        ]
        with scene(home) as how:
            runs = [
                _run_hook(home, client, how.content or payload, how=how) for client, payload in said
            ]
            spooled = len([*home.glob("spool/[!.]*")]) if home.is_dir() else 0
        harmless = sum(run.is_harmless for run in runs)
        yield Trouble(name, len(runs), harmless, max(run.wall_ms for run in runs), spooled)


@dataclass(frozen=True, slots=True)
class How:
    """How hooks are started in a scene."""

    program: Path = _PROGRAM
    content: bytes | None = None
    most_bytes: int | None = None
    leaves_open: bool = False


@contextmanager
def _plain(_home: Path) -> Iterator[How]:
    yield How()


@contextmanager
def _locked(home: Path) -> Iterator[How]:
    home.mkdir()
    with sqlite3.connect(home / "memoria.db") as busy:
        busy.execute("CREATE TABLE t (x)")
        busy.execute("BEGIN EXCLUSIVE")
        yield How()


@contextmanager
def _full(_home: Path) -> Iterator[How]:
    yield How(most_bytes=0)


@contextmanager
def _no_folder(home: Path) -> Iterator[How]:
    home.touch()
    yield How()


@contextmanager
def _read_only(home: Path) -> Iterator[How]:
    home.mkdir(mode=0o500)
    (home / "spool").touch()  # for root, whom modes do not stop
    (home / "hooks").touch()
    yield How()


@contextmanager
def _malformed(_home: Path) -> Iterator[How]:
    yield How(content=_NO_JSON)


@contextmanager
def _huge(_home: Path) -> Iterator[How]:
    yield How(content=_NO_JSON + b'"' + b"x" * _HUGE)


@contextmanager
def _open(_home: Path) -> Iterator[How]:
    yield How(content=_NO_JSON, leaves_open=True)


@contextmanager
def _replaced(home: Path) -> Iterator[How]:
    copy = home.parent / "site" / "memoria"
    for part in ("bare", "surface/hook"):
        shutil.copytree(_PACKAGE / part, copy / part)
    (copy / "bare" / "spool.py").write_text("def half of a new")
    yield How(program=copy / "surface" / "hook" / "__main__.py")


@contextmanager
def _two(home: Path) -> Iterator[How]:
    with _servers(home, 2):
        yield How()


_SCENES = {
    "no server": _plain,
    "two servers": _two,
    "store locked": _locked,
    "disk full": _full,
    "home is no folder": _no_folder,
    "home cannot be written": _read_only,
    "malformed input": _malformed,
    "5 MB of malformed input": _huge,
    "input never closed": _open,
    "package half replaced": _replaced,
}


@contextmanager
def _servers(home: Path, count: int) -> Iterator[None]:
    """So many servers of a home, each ready to be asked."""
    command = [sys.executable, "-m", "memoria", "--home", str(home), "--workspace", "none", "serve"]
    with ExitStack() as stack:
        for number in range(1, count + 1):
            server = subprocess.Popen(  # noqa: S603  (our own program)
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
            stack.callback(server.wait)
            stack.callback(server.terminate)
            deadline = time.monotonic() + _PATIENCE_S
            while len(list_addresses(str(home), "default")) < number:
                if time.monotonic() > deadline:
                    raise TimeoutError("the server offers nobody to ask it")
                time.sleep(0.05)
        yield


def _sift(folder: Path | None) -> Iterator[Passed]:
    """How many of the prompts in the shared data sets a hook may write down by itself."""
    for name, place_ in _PROMPTS.items() if folder else ():
        file = (folder or Path()) / place_
        if file.is_file():
            texts = list(_list_prompts(json.loads(file.read_text("utf-8"))))
            yield Passed(name, len(texts), sum(map(is_surely_clean, texts)) / len(texts))


def _list_prompts(value: object) -> Iterator[str]:
    """What users say, wherever it stands."""
    match value:
        case {"role": "user", "content": str(text)} | {"query": str(text)}:
            yield text
        case dict():
            for item in value.values():
                yield from _list_prompts(item)
        case list():
            for item in value:
                yield from _list_prompts(item)


def _run_hook(home: Path, client: str, said: bytes | Payload, *, how: How | None = None) -> Run:
    how = how or How()
    command = [*_BARE, str(how.program), client, "--home", str(home)]
    content = said if isinstance(said, bytes) else json.dumps(said).encode()
    return run_program(command, content, most_bytes=how.most_bytes, leaves_open=how.leaves_open)


def run_program(
    command: Sequence[str],
    content: bytes,
    *,
    most_bytes: int | None = None,
    leaves_open: bool = False,
) -> Run:
    """Start a program, give it its input, and wait for its end."""

    def limit() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    pipe = subprocess.PIPE
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603  (our own program)
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        preexec_fn=limit,  # noqa: PLW1509  (no threads here)
    )
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise RuntimeError("a pipe is missing")
    process.stdin.write(content)
    process.stdin.flush()
    if not leaves_open:
        process.stdin.close()
    out, err = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall_ms = (time.perf_counter() - began) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    for each in (process.stdin, process.stdout, process.stderr):
        each.close()
    cpu_ms = (used.ru_utime + used.ru_stime) * 1000
    return Run(wall_ms, cpu_ms, process.returncode, out, err)


def _summary(values: Sequence[float]) -> tuple[float, float]:
    return median(values), quantiles(values, n=100, method="inclusive")[_P95]


def _print(
    costs: list[Cost], troubles: list[Trouble], passed: list[Passed], *, as_json: bool
) -> None:
    if as_json:
        shown = {
            "costs": [*map(asdict, costs)],
            "troubles": [*map(asdict, troubles)],
            "passed": [*map(asdict, passed)],
        }
        print(json.dumps({name: [rounded(one) for one in each] for name, each in shown.items()}))
        return
    console = Console(width=120)
    bare = f"a bare Python: {costs[0].bare_cpu_ms:.1f} ms of CPU, {costs[0].bare_wall_ms:.1f} ms"
    rows = table(f"Hooks ({bare})", 2, "client", "event", "CPU ms", "p95", "more", "wall ms", "p95")
    for cost in costs:
        more = cost.cpu_ms - cost.bare_cpu_ms
        figures = (cost.cpu_ms, cost.cpu_p95_ms, more, cost.wall_ms, cost.wall_p95_ms)
        rows.add_row(cost.client, cost.event, *(f"{figure:.1f}" for figure in figures))
    console.print(rows)
    rows = table("In trouble", 1, "", "harmless", "slowest ms", "spooled")
    for one in troubles:
        rows.add_row(
            one.name, f"{one.harmless} of {one.runs}", f"{one.slowest_ms:.0f}", str(one.spooled)
        )
    console.print(rows)
    rows = table("Prompts that a hook writes down by itself", 1, "", "prompts", "passed")
    for each in passed:
        rows.add_row(each.name, str(each.prompts), f"{each.share:.1%}")
    console.print(rows)


if __name__ == "__main__":
    sys.exit(main())
