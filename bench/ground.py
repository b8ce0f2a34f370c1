"""Stale facts told as fresh, and fresh ones as changed, over the histories of small repositories.

    python -m bench.ground FOLDER [--misses] [--only NAME] [--without calls,said]
    python -m bench.ground --commits 50000

A folder has a JSON file for each repository: its commits (files written, edited, renamed, removed)
and facts, each with the session that learnt it at one commit and its state at a later one. Facts
are bound at the first and checked at the second. The second form makes a repository of that many
commits and measures what a look costs: with the states laid ready, as recall does, and without.
"""

import argparse
import calendar
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.repo import Repo

from memoria.ground.binding import bind
from memoria.ground.repository import Repository, open_repository
from memoria.ground.states import check
from memoria.ground.values import Binding, GroundCheck
from memoria.model.search import ToolCall

_FILE, _FOLDER = 0o100644, 0o40000
_FOLDERS = 10
_LOOKS = 20
"""Looks at each fact with its state laid ready; recall looks more often than the background."""
_BEGAN = 1_700_000_000
_SILENT = frozenset(("unbound", "not checked"))
"""States that claim nothing."""
_CHINESE = 4
"""Characters from which on a statement is Chinese."""


@dataclass(frozen=True)
class Told:
    """A fact, what it was bound to, and what was told of it."""

    repository: str
    fact: dict[str, Any]
    bindings: tuple[Binding, ...]
    told: GroundCheck | None

    @property
    def state(self) -> str:
        """The state as told; a fact that is not bound is told without any."""
        return "unbound" if self.told is None else self.told.state.value

    @property
    def language(self) -> str:
        """`zh` for a statement with Chinese characters, else `en`."""
        chinese = sum("\u4e00" <= sign <= "\u9fff" for sign in self.fact["statement"])
        return "zh" if chinese >= _CHINESE else "en"


class History:
    """A made repository whose checkout goes to any of its commits."""

    def __init__(self, folder: Path, commits: list[dict[str, Any]]) -> None:
        """Make the repository of a list of commits."""
        self.folder = folder
        folder.mkdir()
        self._repo = Repo.init(str(folder))
        self.names: dict[str, str] = {}
        self._files: dict[str, dict[str, str]] = {}
        files: dict[str, str] = {}
        parents: list[ObjectID] = []
        for told in commits:
            files = dict(files)
            _apply(files, told)
            made = self._commit(files, told, parents)
            parents = [made]
            self.names[told["id"]] = made.decode()
            self._files[told["id"]] = files

    def check_out(self, commit: str) -> Repository:
        """Write the files of a commit and open the repository there."""
        for each in self.folder.iterdir():
            if each.name != ".git":
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        for path, text in self._files[commit].items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")
        (self.folder / ".git" / "HEAD").write_text(f"{self.names[commit]}\n")
        opened = open_repository(self.folder)
        if opened is None:
            raise RuntimeError(f"{self.folder} is no repository")
        return opened

    def _commit(
        self, files: dict[str, str], told: dict[str, Any], parents: list[ObjectID]
    ) -> ObjectID:
        made = Commit()
        made.tree = self._add_tree({path: text.encode() for path, text in files.items()})
        made.parents = parents
        made.author = made.committer = told["author"].encode()
        at = calendar.timegm(time.strptime(told["when"], "%Y-%m-%dT%H:%M:%SZ"))
        made.author_time = made.commit_time = at
        made.author_timezone = made.commit_timezone = 0
        made.message = told["message"].encode()
        self._repo.object_store.add_object(made)
        return made.id

    def _add_tree(self, files: dict[str, bytes]) -> ObjectID:
        tree, below = Tree(), dict[str, dict[str, bytes]]()
        for path, content in files.items():
            head, slash, rest = path.partition("/")
            if slash:
                below.setdefault(head, {})[rest] = content
                continue
            blob = Blob.from_string(content)
            self._repo.object_store.add_object(blob)
            tree.add(head.encode(), _FILE, blob.id)
        for name, within in below.items():
            tree.add(name.encode(), _FOLDER, self._add_tree(within))
        self._repo.object_store.add_object(tree)
        return tree.id


def _apply(files: dict[str, str], told: dict[str, Any]) -> None:
    """Change files as a commit does: rename, remove, write, edit."""
    for old, new in (told.get("rename") or {}).items():
        files[new] = files.pop(old)
    for path in told.get("remove") or []:
        del files[path]
    files.update(told.get("write") or {})
    for edit in told.get("edit") or []:
        files[edit["path"]] = files[edit["path"]].replace(edit["old"], edit["new"])


def play(name: str, folder: Path, without: str = "") -> Iterator[Told]:
    """Yield what is told of each fact of a repository."""
    told = json.loads(Path(name).read_text(encoding="utf-8"))
    history = History(folder, told["commits"])
    for fact in told["facts"]:
        calls = [
            ToolCall(name=one["tool"], args=one["input"], result=one["result"])
            for one in fact["session"]
            if "tool" in one and "calls" not in without
        ]
        said = [one["text"] for one in fact["session"] if "role" in one and "said" not in without]
        repository = history.check_out(fact["at"])
        bindings = bind(fact["statement"], calls, repository, said=said)
        repository.close()
        repository = history.check_out(fact["look_at"])
        found = check(bindings, repository) if bindings else None
        repository.close()
        yield Told(told["name"], fact, bindings, found)


def report(told: list[Told], label: str) -> None:
    """Print the figures of some facts."""
    moved = [one for one in told if one.fact["state"] != "unchanged"]
    stale = [one for one in told if not one.fact["holds"]]
    kept = [one for one in told if one.fact["state"] == "unchanged"]
    fresh = [one for one in moved if one.state == "unchanged"]
    fresh_stale = [one for one in stale if one.state == "unchanged"]
    silent = [one for one in moved if one.state in _SILENT]
    alarms = [one for one in kept if one.state in {"changed", "gone"}]
    unbound = [one for one in kept if one.state in _SILENT]
    meant = sum(bool(one.fact.get("unbound")) for one in unbound)
    print(
        f"{label:16} facts {len(told):3}  stale told as fresh {len(fresh_stale)}/{len(stale)}"
        f"  changed told as unchanged {len(fresh)}/{len(moved)}  without a mark {len(silent)}"
        f"  false changed {len(alarms)}/{len(kept)}  unbound {len(unbound)} ({meant} rightly)"
    )


def is_miss(one: Told) -> bool:
    """Check whether another state was told than the fact's."""
    if one.fact["state"] == "unchanged":
        return one.state != "unchanged" and not (one.fact.get("unbound") and one.state in _SILENT)
    return one.state in {"unchanged", *_SILENT}


def print_miss(one: Told) -> None:
    """Print a fact that was told wrongly, with its bindings."""
    fact = one.fact
    print(f"\n{fact['id']} {fact['at']} -> {fact['look_at']}: {fact['state']}, told {one.state}")
    print(f"  {fact['statement']}\n  ({fact['why']})")
    for binding in one.bindings:
        print(f"    {binding.path}: {binding.symbol}: {binding.fingerprint}")


def make_long(folder: Path, commits: int) -> list[str]:
    """Make a repository with a pack of many commits over 500 files; return the commits' names."""
    folder.mkdir()
    repo = Repo.init(str(folder))
    objects: dict[ObjectID, ShaFile] = {}
    texts = [f"LIMIT_{file:03} = 0\n\n\ndef use_{file:03}():\n    pass\n" for file in range(500)]
    trees = [Tree() for _ in range(_FOLDERS)]
    for file, text in enumerate(texts):
        _put(objects, trees, file, text)
    names: list[ObjectID] = []
    for number in range(commits):
        file = number * 7 % len(texts)
        _put(objects, trees, file, texts[file].replace("= 0", f"= {number}"))
        root = Tree()
        for place, tree in enumerate(trees):
            root.add(f"part{place}".encode(), _FOLDER, tree.id)
        commit = Commit()
        commit.tree, commit.parents = root.id, names[-1:]
        commit.author = commit.committer = b"Ann <ann@example.com>"
        commit.author_time = commit.commit_time = _BEGAN + number * 60
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = b"A commit\n"
        objects[root.id], objects[commit.id] = root, commit
        names.append(commit.id)
    repo.object_store.add_objects([(each, None) for each in objects.values()])
    (folder / ".git" / "HEAD").write_bytes(names[-1] + b"\n")
    repo.close()
    return [name.decode() for name in names]


def _put(objects: dict[ObjectID, ShaFile], trees: list[Tree], file: int, text: str) -> None:
    """Put a file into its folder, and both into the objects."""
    blob = Blob.from_string(text.encode())
    place = file % len(trees)
    copied = Tree.from_string(trees[place].as_raw_string())
    copied.add(f"file{file:03}.py".encode(), _FILE, blob.id)
    trees[place] = copied
    objects[blob.id], objects[copied.id] = blob, copied


def measure(commits: int) -> None:
    """Print what looks cost in a repository of many commits, in ms of wall-clock time."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "long")
        names = make_long(folder, commits)
        opened = open_repository(folder)
        if opened is None:
            raise RuntimeError(f"{folder} is no repository")
        with opened as repository:
            for path in repository.list_paths(names[-1]):
                target = folder / path
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(repository.read(path, names[-1]) or b"")
            costs: dict[str, list[float]] = {}
            for number in range(0, len(names), max(1, len(names) // 100)):
                file, at = number * 7 % 500, names[number]
                statement = f"LIMIT_{file:03} is {number}."
                with _timed(costs, "bind"):
                    bindings = bind(statement, (), repository, at)
                with _timed(costs, "check"):
                    found = check(bindings, repository)
                for _ in range(_LOOKS):
                    with _timed(costs, "laid ready"):
                        check(bindings, repository, found)
            began = time.perf_counter()
            repository.find_commit(_BEGAN * 1000)
            print(f"commit of a time, {commits:,} back: {time.perf_counter() - began:.2f} s")
    for label, spent in costs.items():
        ordered = sorted(spent)
        half, most = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
        print(f"{label:12} p50 {half:8.2f} ms  p95 {most:8.2f} ms  worst {ordered[-1]:8.2f} ms")


@contextmanager
def _timed(costs: dict[str, list[float]], label: str) -> Iterator[None]:
    """Note what a block costs."""
    began = time.perf_counter()
    yield
    costs.setdefault(label, []).append((time.perf_counter() - began) * 1000)


def main() -> None:
    """Play all repositories of a folder and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--commits", type=int, default=0)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--without", default="", help="calls, said, or both: leave these out")
    given = parser.parse_args()
    if given.commits:
        measure(given.commits)
        return
    if given.folder is None:
        parser.error("a folder of cases, or --commits")
    told: list[Told] = []
    with tempfile.TemporaryDirectory() as place:
        for number, name in enumerate(sorted(given.folder.glob(f"{given.only}*.json"))):
            told += play(str(name), Path(place, str(number)), given.without)
    for label in sorted({one.repository for one in told}):
        report([one for one in told if one.repository == label], label)
    for language in ("en", "zh"):
        report([one for one in told if one.language == language], language)
    report(told, "all")
    confused = Counter((one.fact["state"], one.state) for one in told)
    print(*(f"{was} told {now}: {count}" for (was, now), count in confused.items()), sep="; ")
    if given.misses:
        for one in told:
            if is_miss(one):
                print_miss(one)


if __name__ == "__main__":
    main()
