"""Settings of a memory that a PostgreSQL server keeps."""

from base64 import b64decode
from contextlib import suppress

from pydantic import BaseModel, Field, SecretStr, field_validator

from memoria.bare.lazy_regex import lazy_regex

_URL = lazy_regex(
    r"(?P<scheme>postgres(?:ql)?://)(?:(?P<user>[^:/@]*)(?::[^/@]*)?@)?"
    r"(?P<where>[^/@?]*(?:/[^/@?]*)?)(?:\?(?P<options>[^?]*))?"
)
"""A URL as libpq reads it: whatever stands between the first colon and the `@` is the password."""
_SECRET_OPTIONS = ("password", "sslpassword")
_KEY_BYTES = 32


class DatabaseSettings(BaseModel):
    """Settings of the database that keeps a memory, where no file does."""

    database_url: SecretStr | None = None
    """A PostgreSQL database that keeps the memory of all tenants in place of a file in the home,
    such as `postgresql://memoria@db.example.com/memoria?sslmode=verify-full`. The home then has
    only what is of this machine. A password is best left out of it: `~/.pgpass` may hold it."""

    database_connections: int = Field(20, ge=2, le=1000)
    """How many connections a process opens to the database at most. Who finds none free waits, and
    is told that the memory is busy when it takes too long."""

    database_wipe_hours: float = Field(24, ge=24, le=100_000)
    """In how many hours what was forgotten leaves the files of the database's tables. Nightly
    maintenance writes them anew then, and nobody uses a table meanwhile: seconds for most, minutes
    for many gigabytes."""

    tombstone_key: SecretStr | None = None
    """With `MEMORIA_DATABASE_URL`: the secret by which what was forgotten is recognised, the same
    on each server of the database: 32 random bytes, such as `openssl rand -hex 32` writes. Keep it:
    without it nobody can tell what was forgotten. A memory in a file has a key of its own in the
    home."""

    @field_validator("database_url")
    @classmethod
    def _check_database_url(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None:
            hide_password(url.get_secret_value())
        return url

    @field_validator("tombstone_key")
    @classmethod
    def _check_tombstone_key(cls, key: SecretStr | None) -> SecretStr | None:
        if key is not None:
            decode_key(key.get_secret_value())
        return key

    @property
    def tombstone_key_bytes(self) -> bytes | None:
        """The key for tombstones; None if none is set."""
        key = self.tombstone_key
        return None if key is None else decode_key(key.get_secret_value())

    @property
    def shown_database(self) -> str | None:
        """Words for the database that have no password in them; None without such a database."""
        url = self.database_url
        return None if url is None else f"the database {hide_password(url.get_secret_value())}"


def decode_key(text: str) -> bytes:
    """Return the 32 bytes that a text stands for, in hexadecimal or base64.

    Raises:
        ValueError: it stands for something else. The message does not quote it.
    """
    with suppress(ValueError):
        if len(key := bytes.fromhex(text)) == _KEY_BYTES:
            return key
    with suppress(ValueError):
        if len(key := b64decode(text.strip(), validate=True)) == _KEY_BYTES:
            return key
    raise ValueError("write 32 random bytes as 64 hexadecimal digits: `openssl rand -hex 32`")


def hide_password(url: str) -> str:
    """Return a database's URL without the passwords that may stand in it.

    >>> hide_password("postgresql://ann:secret@db/m?sslmode=require&password=secret")
    'postgresql://ann@db/m?sslmode=require'

    Raises:
        ValueError: the text is no URL of a PostgreSQL database.
    """
    read = _URL.fullmatch(url)
    if read is None:
        raise ValueError(
            "write a URL such as postgresql://memoria@db.example.com/memoria, and @ and / within "
            "a name or password as %40 and %2F"
        )
    options = (read["options"] or "").split("&")
    shown = "&".join(one for one in options if one.partition("=")[0] not in _SECRET_OPTIONS)
    user = "" if read["user"] is None else f"{read['user']}@"
    return f"{read['scheme']}{user}{read['where']}{shown and '?'}{shown}"
