"""SQL by name. Every statement lives in a `.sql` file under a `-- name:` line."""

import re
from functools import cache
from importlib import resources

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def statements(file: str) -> dict[str, str]:
    """The named statements of `sql/<file>.sql`."""
    text = resources.files(__package__).joinpath("sql", f"{file}.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)  # what stands before the first name is a comment
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
