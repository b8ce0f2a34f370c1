"""Conversations that branch: an edited prompt begins a branch, and the last one shown counts."""

from collections.abc import Mapping


def find_branch(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """List the ids from the first message to a last one.

    Args:
        parents: the id of the message before each.
        leaf: the id of the last message shown.
    """
    branch: list[str] = []
    seen: set[str] = set()
    node: str | None = leaf
    while node is not None and node in parents and node not in seen:
        seen.add(node)
        branch.append(node)
        node = parents[node]
    return branch[::-1]
