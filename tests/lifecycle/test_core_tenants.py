"""What agents are shown of core memory is their own tenant's, whoever else keeps files here."""

from pathlib import Path

import memoria
from memoria import Settings
from memoria.disk.folders import tenant_folder
from memoria.surface.mcp.resources import core_text


async def test_resources_and_packages_show_ones_own_files_only(home: Path) -> None:
    for tenant in ("default", "ann", "Ann"):
        folder = tenant_folder(home, tenant)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "USER.md").write_text(f"# USER.md\n\nthis is {tenant}'s\n", "utf-8")
    for tenant in ("default", "ann", "Ann", "carol"):
        settings = Settings(home=home, tenant=tenant, embedder="off")
        async with memoria.open(settings=settings) as opened:
            resource = await core_text(opened, "USER.md")
            package = (await opened.build_context("who am I?")).persona
        for other in ("default", "ann", "Ann"):
            assert (f"this is {other}'s" in resource) is (other == tenant)
            assert (f"this is {other}'s" in package) is (other == tenant)


def test_no_two_tenants_share_a_folder_and_none_leaves_the_home() -> None:
    names = [
        "a",
        "A",
        "ä",
        "陈伟",
        "陈玮",
        "..",
        "../x",
        "a/b",
        "a-b",
        "a b",
        "x" * 200,
        "con",
        ".",
        "用户二七一二九",  # the first 32 bits of these two digests are the same
        "用户二七五四二",
    ]
    folders = [tenant_folder(Path("home"), name) for name in names]
    slugs = [folder.name for folder in folders]
    assert {folder.parent for folder in folders} == {Path("home", "tenants")}
    assert len({one.casefold() for one in slugs}) == len(names)
    assert all(one.isascii() and one.strip("-.") == one and "/" not in one for one in slugs)
    assert all(len(one) < 60 for one in slugs)
