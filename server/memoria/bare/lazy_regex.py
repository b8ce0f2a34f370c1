"""Regular expressions that are compiled when they are first used.

Compiling those of all modules takes as long as everything else a command does, and most of them
are never used in a process.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import AnyStr


class LazyRegex:
    """Stands for a compiled expression, which is compiled at its first use."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Return the compiled expression's attribute, kept for the next use."""
        if name.startswith("__"):
            raise AttributeError(name)
        import re

        regex = self.__dict__.get("_regex")
        if regex is None:
            regex = self._regex = re.compile(self.pattern, self._flags)
        value: object = getattr(regex, name)
        setattr(self, name, value)
        return value


def lazy_regex(pattern: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return an expression like one of `re.compile`, which costs nothing before its first use."""
    return LazyRegex(pattern, flags)  # type: ignore[return-value]  # it has the same attributes
