"""Settings with limits of their own that are no settings, for tests that reach them soon."""

from memoria.config import Settings

LIMITS = frozenset(Settings.__class_vars__)
"""The names of these limits."""


def limit_settings(**limits: object) -> type[Settings]:
    """Return a class of settings with other limits than everybody's."""
    unknown = limits.keys() - LIMITS
    assert not unknown, f"there is no such limit: {unknown}"
    return type("LimitedSettings", (Settings,), {**limits, "__module__": __name__})
