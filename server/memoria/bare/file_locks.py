"""Locks on bytes of a file: the operating system frees them when their process ends, however.

A byte need not exist to be locked. A process never conflicts with itself here: POSIX knows only
whose process a lock is. Nothing here waits.
"""

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int, first: int, length: int) -> bool:
        """Lock so many bytes from there on. False where another process has one of them."""
        os.lseek(descriptor, first, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, length)
        except PermissionError:
            return False
        return True

    def unlock(descriptor: int, first: int, length: int) -> None:
        """Free what was locked with the same numbers."""
        os.lseek(descriptor, first, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, length)

    def read_at(descriptor: int, place: int, length: int) -> bytes:
        """Return up to `length` bytes at a place; fewer where the file ends before."""
        os.lseek(descriptor, place, os.SEEK_SET)
        return os.read(descriptor, length)

    def write_at(descriptor: int, place: int, content: bytes) -> None:
        """Write this there."""
        os.lseek(descriptor, place, os.SEEK_SET)
        os.write(descriptor, content)

else:
    import fcntl

    def try_lock(descriptor: int, first: int, length: int) -> bool:
        """Lock so many bytes from there on. False where another process has one of them."""
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, length, first)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def unlock(descriptor: int, first: int, length: int) -> None:
        """Free what was locked with the same numbers."""
        fcntl.lockf(descriptor, fcntl.LOCK_UN, length, first)

    def read_at(descriptor: int, place: int, length: int) -> bytes:
        """Return up to `length` bytes at a place; fewer where the file ends before."""
        return os.pread(descriptor, length, place)

    def write_at(descriptor: int, place: int, content: bytes) -> None:
        """Write this there."""
        os.pwrite(descriptor, content, place)
