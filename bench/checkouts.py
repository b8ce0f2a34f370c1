"""How benchmarks start Memoria out of a checkout, this one or an older one, and keep cores busy."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

THIS = Path(__file__).parent.parent
_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from {module} import run; run()"
_FRONT, _NO_FRONT = "memoria.surface.front.main", "memoria.surface.cli.main"


def memoria_command(checkout: Path, *arguments: str) -> tuple[str, ...]:
    """`memoria …` out of a checkout, by its Python: what its console script does."""
    server = checkout / "server"
    has_front = (server / "memoria" / "surface" / "front").is_dir()
    run = _RUN.format(module=_FRONT if has_front else _NO_FRONT)
    return (python_of(checkout), "-c", run, str(server), *arguments)


def python_of(checkout: Path) -> str:
    """The Python of a checkout's own environment, which has what it depends on; else this one."""
    own = checkout / ".venv" / "bin" / "python"
    return str(own) if checkout != THIS and own.exists() else sys.executable


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """Keep so many cores busy while the block runs."""
    with ExitStack() as stack:
        for _ in range(count):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        yield
