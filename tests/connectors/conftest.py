"""What these tests share: the command and a memory, both on a home of their own."""

from tests.admin.conftest import filled, pattern, quiet, shell

__all__ = ["filled", "pattern", "quiet", "shell"]
