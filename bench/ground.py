"""Stale facts told as fresh, and fresh ones as changed, over the histories of small repositories.

    python -m bench.ground FOLDER [--misses] [--only NAME] [--without calls,said]

A folder has a JSON file for each repository: its commits (files written, edited, renamed, removed)
and facts, each with the session that learnt it at one commit and its state at a later one. Facts
are bound at the first and checked at the second.
"""

import argparse
import calendar
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.repo import Repo

from memoria.ground.binding import bind
from memoria.ground.repository import Repository, open_repository
from memoria.ground.states import check
from memoria.ground.values import Binding, GroundCheck
from memoria.model.search import ToolCall

_FILE, _FOLDER = 0o100644, 0o40000
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
    silent = [one for one in moved if one.state == "unbound"]
    alarms = [one for one in kept if one.state in {"changed", "gone"}]
    unbound = [one for one in kept if one.state == "unbound"]
    meant = sum(bool(one.fact.get("unbound")) for one in unbound)
    print(
        f"{label:16} facts {len(told):3}  stale told as fresh {len(fresh_stale)}/{len(stale)}"
        f"  changed told as unchanged {len(fresh)}/{len(moved)}  without a mark {len(silent)}"
        f"  false changed {len(alarms)}/{len(kept)}  unbound {len(unbound)} ({meant} rightly)"
    )


def is_miss(one: Told) -> bool:
    """Check whether another state was told than the fact's."""
    if one.fact["state"] == "unchanged":
        return one.state != "unchanged" and not (one.fact.get("unbound") and one.state == "unbound")
    return one.state in {"unchanged", "unbound"}


def print_miss(one: Told) -> None:
    """Print a fact that was told wrongly, with its bindings."""
    fact = one.fact
    print(f"\n{fact['id']} {fact['at']} -> {fact['look_at']}: {fact['state']}, told {one.state}")
    print(f"  {fact['statement']}\n  ({fact['why']})")
    for binding in one.bindings:
        print(f"    {binding.path}: {binding.symbol}: {binding.fingerprint}")


def main() -> None:
    """Play all repositories of a folder and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--without", default="", help="calls, said, or both: leave these out")
    given = parser.parse_args()
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
