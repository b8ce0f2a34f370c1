"""Tokens: the user creates, lists and revokes them, and a server checks those that callers show."""

import hashlib
import time
from collections.abc import Callable
from typing import NamedTuple

from memoria.app.arguments import Text, check_arguments
from memoria.app.open_home import in_thread
from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import Channel, Trust, now_millis
from memoria.model.access import Access, Token, TokenText
from memoria.model.base import choose_by_end, new_id
from memoria.model.moments import from_millis
from memoria.store.engine import Store

_TRUSTED_S = 30.0
"""Seconds for which a token that was checked is not looked up again: so late a revocation holds."""
_MOST_CHECKED = 10_000


def carry_tokens(before: Store, restored: Store) -> None:
    """Put the tokens of the home before in place of a restored home's.

    A backup knows nothing of tokens that were revoked since, and would open the home to them.
    """
    for tenant in dict.fromkeys((*before.tenants(), *restored.tenants())):
        with before.read(tenant) as tx:
            kept = [tx.tokens.find(token.id) for token in tx.tokens.all()]
        with restored.read(tenant) as tx:
            has_any = bool(kept or tx.tokens.all())
        if has_any:  # a write would begin a tenant of which nothing is kept
            with restored.write(tenant) as tx:
                tx.tokens.replace(found for found in kept if found is not None)


class CreatedToken(NamedTuple):
    """A token that was just created, and its text, which is shown this once."""

    token: Token
    text: str


class TokenService:
    """The tokens of one tenant, for the user alone."""

    def __init__(self, store: Store, tenant: str, channel: Channel) -> None:
        self._store = store
        self._tenant = tenant
        self._channel = channel

    @check_arguments
    async def create(
        self, access: Access, label: Text = "", expires_at: int | None = None
    ) -> CreatedToken:
        """Create a token.

        Args:
            access: what it allows.
            label: the user's own word for whoever gets it.
            expires_at: UTC epoch milliseconds; None for a token that holds until it is revoked.

        Raises:
            InvalidInputError: it would be over already, or an agent asks for it.
        """
        self._require_user()
        at = now_millis()
        if expires_at is not None and expires_at <= at:
            raise InvalidInputError("expires: this is over already. Give a day to come, or 90d.")
        text = TokenText.create(self._tenant, new_id())
        token = Token(id=text.id, label=label, access=access, created_at=at, expires_at=expires_at)

        def write() -> None:
            with self._store.write(self._tenant) as tx:
                tx.tokens.add(token, text.digest)

        await in_thread(write)
        return CreatedToken(token, str(text))

    async def list(self) -> tuple[Token, ...]:
        """List all tokens, oldest first."""

        def read() -> tuple[Token, ...]:
            with self._store.read(self._tenant) as tx:
                return tuple(tx.tokens.all())

        return await in_thread(read)

    @check_arguments
    async def revoke(self, end: str) -> Token:
        """End a token at once, and return it.

        Args:
            end: its id, or the last characters of its id.

        Raises:
            NotFoundError: there is no such token.
            InvalidInputError: several ids end so, or an agent asks for it.
        """
        self._require_user()

        def write() -> Token:
            with self._store.write(self._tenant) as tx:
                known = {one.id: one for one in tx.tokens.all()}
                chosen = choose_by_end(known, end)
                if chosen is None:
                    raise NotFoundError(f"There is no token {end}. `memoria token` lists them.")
                tx.tokens.revoke(chosen, now_millis())
                return next(one for one in tx.tokens.all() if one.id == chosen)

        return await in_thread(write)

    def _require_user(self) -> None:
        if self._channel.trust is not Trust.USER:
            raise InvalidInputError("Only the user gives tokens out and revokes them, in a shell.")


class TokenChecker:
    """Checks the tokens that callers show, of every tenant of a store."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._checked: dict[bytes, tuple[float, str, Token]] = {}

    async def check(self, shown: str) -> tuple[str, Token] | None:
        """Return the tenant and the token of a text that a caller shows; None if it opens nothing.

        A token that was revoked may be taken for half a minute more.
        """
        key = hashlib.sha256(shown.encode()).digest()  # the text itself is kept nowhere
        known = self._checked.get(key)
        if known is not None and self._clock() - known[0] < _TRUSTED_S:
            return (known[1], known[2]) if known[2].holds(now_millis()) else None
        self._checked.pop(key, None)
        text = TokenText.parse(shown)
        token = None if text is None else await in_thread(lambda: self._look_up(text))
        if text is None or token is None:
            return None
        if len(self._checked) >= _MOST_CHECKED:
            self._checked.clear()
        self._checked[key] = (self._clock(), text.tenant, token)
        return text.tenant, token

    def _look_up(self, text: TokenText) -> Token | None:
        at = now_millis()
        with self._store.read(text.tenant) as tx:
            found = tx.tokens.find(text.id)
        if found is None or not text.matches(found[1]) or not found[0].holds(at):
            return None
        day = from_millis(at).date().isoformat()
        if found[0].last_used_day != day:
            with self._store.write(text.tenant, only_adds=True) as tx:
                tx.tokens.note_use(text.id, day)
        return found[0]
