"""How many files are touched to add a memory type, an importer, a step, an embedder, a column.

    python -m bench.touched

Each is an imaginary one. It is added to a copy of the tree, in the files that it takes, and then
used there the way a person or an agent uses it; so a place that was forgotten shows.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[1]
_COPIED = ("server", "prompts", "identity", "docs", "tests", "bench")
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Edit:
    """What is written into one file."""

    file: str
    text: str
    after: str = ""
    """The line below which the text goes; empty for a new file."""

    def apply(self, tree: Path) -> None:
        """Write it.

        Raises:
            LookupError: the line is not in the file, or not just once.
        """
        file = tree / self.file
        text = dedent(self.text).lstrip("\n")
        if not self.after:
            file.write_text(text, "utf-8")
            return
        content = file.read_text("utf-8")
        if content.count(self.after) != 1:
            raise LookupError(f"{self.file} has {self.after!r} {content.count(self.after)} times")
        file.write_text(content.replace(self.after, f"{self.after}{self.text}"), "utf-8")


@dataclass(frozen=True, slots=True)
class Addition:
    """Something imaginary that is added, and how it shows that it is there."""

    name: str
    most: int
    """The most files that it may take."""
    edits: tuple[Edit, ...]
    proof: str
    """A program that fails unless the addition is of use everywhere."""
    tests: tuple[str, ...] = ()
    """Tests that hold of it as of all others of its kind."""

    @property
    def places(self) -> tuple[str, ...]:
        """The files that are touched."""
        return tuple(dict.fromkeys(edit.file for edit in self.edits))

    @property
    def files(self) -> int:
        """How many they are."""
        return len(self.places)


_TYPES = "server/memoria/model/memory_types.py"
_SHELL = """
    import os, sys
    from typer.testing import CliRunner
    from memoria.surface.cli.main import app
    os.environ["MEMORIA_EMBEDDER"] = "off"
    def shell(*line):
        result = CliRunner().invoke(app, ["--home", sys.argv[1], *line])
        assert result.exit_code == 0, result.output
        return result.output
"""

MEMORY_TYPE = Addition(
    name="memory type",
    most=3,
    edits=(
        Edit(
            _TYPES,
            '    OPINION = "opinion"\n',
            after='class MemoryType(StrEnum):\n    """Kinds of conclusion."""\n\n',
        ),
        Edit(
            _TYPES,
            """\
        MemoryType.OPINION: MemoryTypeRow(
            meaning="what somebody holds to be so",
            fading=FadingCurve(60),
            recency_tau_days=60,
            core_heading="People",
        ),
""",
            after="MEMORY_TYPES: Mapping[MemoryType, MemoryTypeRow] = MappingProxyType(\n    {\n",
        ),
        Edit("docs/glossary.md", ", opinion", after="tool experience, episode"),
    ),
    proof=_SHELL
    + """
    import json
    from memoria.config import Settings
    from memoria.model.operation import Add
    shell("remember", "Lin thinks that tabs are better", "--type", "opinion")
    (hit,) = json.loads(shell("search", "tabs", "--type", "opinion", "--json"))["hits"]
    assert hit["type"] == "opinion"
    assert "opinion" in Add.model_json_schema()["properties"]["type"]["enum"]
    Settings(retention="opinion.tau=5")
    shell("nightly")
    assert "tabs are better" in shell("--workspace", "none", "search", "tabs")
    """,
    tests=("tests/model/test_memory_types.py", "tests/surface/test_arguments.py"),
)

IMPORTER = Addition(
    name="importer",
    most=3,
    edits=(
        Edit(
            "server/memoria/connectors/transcripts/parrot.py",
            '''
            """The format `parrot`: a line of text a turn, all of them the user's."""

            from collections.abc import Iterator

            from memoria.connectors.transcripts.base import TranscriptFormat, TranscriptItem
            from memoria.connectors.transcripts.base import TranscriptTurn, as_turn
            from memoria.connectors.transcripts.source import TranscriptSource


            def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
                """The turns of a file."""
                for line, text in enumerate(source.path.read_text("utf-8").splitlines(), 1):
                    fields = {"role": "user", "content": text, "message_id": str(line)}
                    turn = as_turn(line, {**fields, "session_id": source.session})
                    yield TranscriptTurn(line, turn)


            PARROT = TranscriptFormat(
                name="parrot", client="parrot", patterns=("*.parrot",), read=read,
                note="a line of text a turn",
            )
            ''',
        ),
        Edit(
            "server/memoria/connectors/transcripts/formats.py",
            "from memoria.connectors.transcripts.parrot import PARROT\n",
            after="from memoria.connectors.transcripts.jsonl import JSONL\n",
        ),
        Edit(
            "server/memoria/connectors/transcripts/formats.py",
            ", PARROT",
            after="(JSONL, CLAUDE_CODE, CODEX, GEMINI",
        ),
    ),
    proof=_SHELL
    + """
    from pathlib import Path
    transcript = Path(sys.argv[1]).parent / "said.parrot"
    transcript.write_text("polly wants a cracker")
    shell("import", str(transcript), "--format", "parrot")
    assert "polly wants a cracker" in shell("traces", "cracker")
    assert "parrot" in shell("import", "--help")
    """,
)

STEP = Addition(
    name="nightly step",
    most=2,
    edits=(
        Edit(
            "server/memoria/lifecycle/steps/praise.py",
            '''
            """Praise: upvote what somebody has pinned. Imaginary."""

            from collections.abc import Iterator

            from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
            from memoria.model.nightly import StepOutcome
            from memoria.store.rows.transaction import Transaction


            class PraiseItem(Item):
                """A memory, by its id."""


            class PraiseStep(PlannedStep[PraiseItem]):
                """Praises."""

                name = "praise"
                summary = "Praise the memory."
                things = ("memory", "memories")
                deed = "praised"
                item = PraiseItem
                rows = 1

                def plan(self, context: StepContext) -> Iterator[PraiseItem]:
                    """One item."""
                    yield PraiseItem(key="all")

                def apply(
                    self, tx: Transaction, item: PraiseItem, context: StepContext
                ) -> ItemResult:
                    """Nothing."""
                    return ItemResult(StepOutcome.DONE, reason="well done")
            ''',
        ),
        Edit(
            "server/memoria/lifecycle/steps/__init__.py",
            "from memoria.lifecycle.steps.praise import PraiseStep\n",
            after="from memoria.lifecycle.steps.metrics import MetricsStep\n",
        ),
        Edit(
            "server/memoria/lifecycle/steps/__init__.py",
            "    PraiseStep(),\n",
            after="    CoreStep(),\n",
        ),
    ),
    proof=_SHELL
    + """
    shell("remember", "Lin likes tea")
    assert "1 memory praised" in shell("nightly", "--step", "praise")
    assert "praise" in shell("nightly", "--dry-run")
    """,
)

EMBEDDER = Addition(
    name="embedder",
    most=3,
    edits=(
        Edit(
            "server/memoria/inference/letters.py",
            '''
            """An embedder that counts letters. Imaginary."""

            from collections.abc import Sequence

            import numpy as np

            from memoria.model import Vector


            class LettersEmbedder:
                """A dimension a letter."""

                name = "letters/26"

                def embed_query(self, text: str) -> Vector:
                    """The vector of a question."""
                    counts = [1.0 + text.lower().count(chr(97 + i)) for i in range(26)]
                    return np.asarray(counts, dtype=np.float32) / np.linalg.norm(counts)

                def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
                    """The vectors of documents."""
                    return [self.embed_query(text) for text in texts]
            ''',
        ),
        Edit(
            "server/memoria/inference/embedder.py",
            """        case "letters":
            from memoria.inference.letters import LettersEmbedder

            return LazyEmbedder("letters/26", LettersEmbedder)
""",
            after="    match settings.embedder:\n",
        ),
        Edit("server/memoria/config.py", ', "letters"', after='    embedder: Literal["bundled"'),
    ),
    proof=_SHELL
    + """
    os.environ["MEMORIA_EMBEDDER"] = "letters"
    shell("remember", "Lin likes tea")
    assert "letters/26" in shell("doctor")
    """,
)

COLUMN = Addition(
    name="column of a memory that is only carried",
    most=4,
    edits=(
        Edit(
            "server/memoria/store/sqlite/migrations/0900_mood.sql",
            "ALTER TABLE memories ADD COLUMN mood TEXT;\n",
        ),
        Edit(
            "server/memoria/store/postgres/migrations/0900_mood.sql",
            'ALTER TABLE memories ADD COLUMN mood TEXT COLLATE "C";\n',
        ),
        Edit(
            "server/memoria/model/memory.py",
            '    mood: str | None = None\n    """Mood in which it was told. Imaginary."""\n',
            after="    last_used_at: Moment | None = None\n",
        ),
        Edit(
            "server/memoria/model/memory.py",
            ', "mood"',
            after='CARRIED_COLUMNS = ("use_count", "last_used_at", "flag"',
        ),
    ),
    proof=_SHELL  # noqa: S608  (of the imaginary home)
    + """
    import json, sqlite3
    from contextlib import closing
    from pathlib import Path
    home = Path(sys.argv[1])
    kept = json.loads(shell("remember", "Lin likes tea", "--json"))["id"]
    with closing(sqlite3.connect(home / "memoria.db")) as file, file:
        file.execute("UPDATE memories SET mood = 'glad'")
    assert json.loads(shell("show", kept, "--json"))["mood"] == "glad"
    exported = home.parent / "exported.jsonl"
    shell("export", str(exported))
    sys.argv[1] = str(home.parent / "other")
    shell("remember", "Kim likes coffee")
    shell("import", str(exported))
    assert json.loads(shell("show", kept, "--json"))["mood"] == "glad"
    """,
)

ADDITIONS = (MEMORY_TYPE, IMPORTER, STEP, EMBEDDER, COLUMN)


def copy_tree(to: Path) -> Path:
    """A copy of what the additions touch and need, with what is compiled of it already."""
    for name in _COPIED:
        ignored = shutil.ignore_patterns("*.pyc.*", "node_modules")  # the first are being written
        shutil.copytree(ROOT / name, to / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", to)
    return to


def run_in(tree: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program on the package of a copy of the tree."""
    paths = "import sys; sys.path[:0] = ['server', '.']\n"
    return subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", paths + dedent(program), *arguments],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )


def main() -> int:
    """Print a row an addition; fail if one takes more files than it may, or is of no use."""
    failed = False
    for addition in ADDITIONS:
        with tempfile.TemporaryDirectory(prefix="memoria-touched-") as folder:
            tree = copy_tree(Path(folder))
            problem = prove(addition, tree) or run_tests(addition, tree)
        sys.stdout.write(f"{addition.name}: {addition.files} files, at most {addition.most}\n")
        sys.stdout.write("".join(f"  {file}\n" for file in addition.places))
        sys.stdout.write(f"{problem}\n" if problem else "")
        failed |= problem is not None or addition.files > addition.most
    return int(failed)


def run_tests(addition: Addition, tree: Path, tests: Sequence[str] | None = None) -> str | None:
    """What the tests say that hold of every addition of its kind; nothing if they pass."""
    tests = addition.tests if tests is None else tests
    if not tests:
        return None
    line = "import pytest; raise SystemExit(pytest.main(sys.argv[1:]))"
    done = run_in(tree, line, "-q", "-p", "no:cacheprovider", *tests)
    return None if done.returncode == 0 else f"{done.stdout}{done.stderr}"


def prove(addition: Addition, tree: Path, edits: Sequence[Edit] | None = None) -> str | None:
    """What is wrong with a copy of the tree that has the addition; nothing if it is of use.

    Args:
        addition: what is added.
        tree: the copy, which is changed.
        edits: those that are made; all of them by default.
    """
    for edit in addition.edits if edits is None else edits:
        edit.apply(tree)
    with tempfile.TemporaryDirectory(prefix="memoria-touched-") as folder:
        done = run_in(tree, addition.proof, str(Path(folder) / "home"))
    return None if done.returncode == 0 else f"{done.stdout}{done.stderr}"


if __name__ == "__main__":
    sys.exit(main())
