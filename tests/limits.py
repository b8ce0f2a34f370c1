"""Settings with limits of their own that are no settings, for tests that reach them soon."""

from functools import cache

from memoria.config import Settings

LIMITS = frozenset(Settings.__class_vars__)
"""The names of these limits."""


def limit_settings(**limits: object) -> type[Settings]:
    """Return a class of settings with other limits than everybody's."""
    return _make(frozenset(limits.items())) if limits else Settings


@cache  # to make one takes as long as to open a home
def _make(limits: frozenset[tuple[str, object]]) -> type[Settings]:
    unknown = dict(limits).keys() - LIMITS
    assert not unknown, f"there is no such limit: {unknown}"
    return type("LimitedSettings", (Settings,), {**dict(limits), "__module__": __name__})
