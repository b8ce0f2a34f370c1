"""What newcomers and machines meet first: the lock, the workflows, the container."""

import re
import tomllib

from packaging.requirements import Requirement
from packaging.version import Version
from tests.docs.pages import ROOT

_LOCKED = r"^[\w.-]+==[^\n]*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+"
LOCK = (ROOT / "requirements.lock").read_text("utf-8")


def _needed() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    return [Requirement(line) for group in groups for line in group]


def _locked() -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", LOCK, re.MULTILINE):
        found.setdefault(_plain(name), []).append(Version(version))
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_holds_every_dependency_in_versions_the_project_allows() -> None:
    locked = _locked()
    needed = _needed()
    assert {one.name for one in needed if _plain(one.name) not in locked} == set()
    assert [
        f"{one.name} {version}"
        for one in needed
        for version in locked[_plain(one.name)]
        if not one.specifier.contains(version)
    ] == []


def test_every_locked_version_has_its_hashes() -> None:
    versions = re.findall(_LOCKED, LOCK, re.MULTILINE)
    assert len(versions) == len(re.findall(r"^[\w.-]+==", LOCK, re.MULTILINE))


def test_the_lock_names_no_registry_and_no_folder_of_a_machine() -> None:
    assert re.findall(r"https?:|file:|--index|--find-links|^-e|/[a-z]+/", LOCK, re.MULTILINE) == []


def test_the_checks_are_run_on_three_systems_as_they_are_here() -> None:
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    assert "os: [ubuntu-latest, macos-latest, windows-latest]" in workflow
    assert "run: bash .ci/run\n" in workflow


def test_the_checks_before_a_commit_are_checks_of_ci() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    programs = set(re.findall(r"entry: \.venv/bin/([\w-]+)", hooks)) - {"python"}
    assert programs
    assert {program for program in programs if f'"$bin/{program}"' not in ci} == set()


def test_the_container_is_made_of_what_the_wheel_is_made_of() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    sources = {path.split("/")[0] for path in (*wheel["packages"], *wheel["force-include"])}
    files = {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml"}
    container = (ROOT / "Dockerfile").read_text("utf-8")
    copied = {
        word
        for line in re.findall(r"^COPY (?!--)(.+)$", container, re.MULTILINE)
        for word in line.split()[:-1]
    }
    sent = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE))
    assert sources | files <= copied
    assert copied == sent
