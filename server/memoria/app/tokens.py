"""Tokens: the user creates, lists and revokes them, and a server checks those that callers show."""

import hashlib
import time
from collections.abc import Callable
from typing import NamedTuple

import anyio

from memoria.app.arguments import Text, check_arguments
from memoria.app.open_home import in_thread
from memoria.app.refusals import RefusedCalls
from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import Channel, Trust, now_millis
from memoria.model.access import LINK_BEGINS, TEXT_BEGINS, VISIT_BEGINS, Access, Token, TokenText
from memoria.model.base import choose_by_end, new_id
from memoria.model.moments import from_millis
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

_LOOKUPS = 2
"""Number of tokens that are looked up at once: wrong ones leave all other threads to their work."""
_TRUSTED_S = 1.0
"""Seconds for which a token that was checked is not looked up again: so late a revocation holds."""
_MOST_CHECKED = 10_000
LINK_HOLDS_MS = 3_600_000
"""Time in which a link to the viewer must be opened."""
_SPENT = (
    "This link was opened before, or is too old. `memoria ui`, on the machine that has the "
    "memory, makes another."
)


def carry_tokens(before: Store, restored: Store) -> set[str]:
    """Put the tokens of the home before in place of a restored home's; return ids that hold."""
    at, holding = now_millis(), set[str]()
    for tenant in dict.fromkeys((*before.tenants(), *restored.tenants())):
        with before.read(tenant) as tx:
            found = [tx.tokens.find(token.id) for token in tx.tokens.all()]
        kept = [one for one in found if one is not None]
        holding.update(token.id for token, _ in kept if token.holds(at))
        with restored.read(tenant) as tx:
            has_any = bool(kept or tx.tokens.all())
        if has_any:  # a write would begin a tenant of which nothing is kept
            with restored.write(tenant) as tx:
                tx.tokens.replace(kept)
    return holding


def end_tokens(backup: Store) -> set[str]:
    """Revoke all tokens of a backup, and return the ids of those that held.

    A backup knows nothing of tokens that were revoked since, and would open the home to them.
    """
    at, ended = now_millis(), set[str]()
    for tenant in backup.tenants():
        with backup.read(tenant) as tx:
            held = [token.id for token in tx.tokens.all() if token.holds(at)]
        if held:
            with backup.write(tenant) as tx:
                ended.update(token_id for token_id in held if tx.tokens.revoke(token_id, at))
    return ended


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
        self,
        access: Access,
        label: Text = "",
        expires_at: int | None = None,
        begins: str = TEXT_BEGINS,
    ) -> CreatedToken:
        """Create a token.

        Args:
            access: what it allows.
            label: the user's own word for whoever gets it.
            expires_at: UTC epoch milliseconds; None for a token that holds until it is revoked.
            begins: beginning of its text, which says for what it is: `LINK_BEGINS` for a link to
                the viewer, which is opened once.

        Raises:
            InvalidInputError: it would be over already, or an agent asks for it.
        """
        self._require_user()
        at = now_millis()
        if expires_at is not None and expires_at <= at:
            raise InvalidInputError("expires: this is over already. Give a day to come, or 90d.")
        text = TokenText.create(self._tenant, new_id(), begins)
        token = Token(id=text.id, label=label, access=access, created_at=at, expires_at=expires_at)

        def write() -> None:
            with self._store.write(self._tenant) as tx:
                tx.tokens.add(token, text.digest)
                self._note(tx, "create token", token.id, f"{label}, {access}" if label else access)

        await in_thread(write)
        return CreatedToken(token, str(text))

    async def open_link(self, shown: str) -> CreatedToken:
        """Begin a visit of the viewer with a link, which opens nothing from then on.

        Returns:
            The token, and the text that the browser keeps.

        Raises:
            NotFoundError: the link was opened before, is older than an hour, or never was one.
        """
        link, at = TokenText.parse(shown, LINK_BEGINS), now_millis()
        if link is None or link.tenant != self._tenant:
            raise NotFoundError(_SPENT)
        visit = TokenText.create(self._tenant, link.id, VISIT_BEGINS)

        def write() -> Token:
            with self._store.write(self._tenant) as tx:
                found = tx.tokens.find(link.id)
                if (
                    found is None
                    or not found[0].holds(at)
                    or at > found[0].created_at + LINK_HOLDS_MS
                    or not tx.tokens.exchange(link.id, link.digest, visit.digest)
                ):
                    raise NotFoundError(_SPENT)
                self._note(tx, "open viewer", link.id)
                return found[0]

        return CreatedToken(await in_thread(write), str(visit))

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
                self._note(tx, "revoke token", chosen)
                return next(one for one in tx.tokens.all() if one.id == chosen)

        return await in_thread(write)

    def _note(self, tx: Transaction, action: str, token_id: str, detail: str | None = None) -> None:
        tx.audit.add(
            at=now_millis(),
            channel=self._channel.name,
            client=self._channel.client,
            action=action,
            subject=token_id,
            detail=detail,
        )

    def _require_user(self) -> None:
        if self._channel.trust is not Trust.USER:
            raise InvalidInputError("Only the user gives tokens out and revokes them, in a shell.")


class TokenChecker:
    """Checks the tokens that callers show, of every tenant of a store."""

    def __init__(
        self, store: Store, refusals: RefusedCalls, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._refusals = refusals
        self._clock = clock
        self._checked: dict[bytes, tuple[float, str, Token]] = {}
        self._lookups = anyio.CapacityLimiter(_LOOKUPS)

    async def check(self, shown: str, begins: str = TEXT_BEGINS) -> tuple[str, Token] | None:
        """Return the tenant and the token of a text that a caller shows; None if it opens nothing.

        A token that was revoked may be taken for a second more.
        """
        key = hashlib.sha256(shown.encode()).digest()  # the text itself is kept nowhere
        known = self._checked.get(key) if shown.startswith(begins) else None
        if known is not None and self._clock() - known[0] < _TRUSTED_S:
            _, tenant, token = known
            if token.holds(now_millis()):
                return tenant, token
        self._checked.pop(key, None)
        text = TokenText.parse(shown, begins)
        if text is None:
            await self._refusals.note("what was shown is no token")
            return None
        found = await in_thread(lambda: self._look_up(text), self._lookups)
        if isinstance(found, _TokenFault):
            await self._refusals.note(found.reason, found.tenant, found.caller)
            return None
        if len(self._checked) >= _MOST_CHECKED:
            self._checked.clear()
        self._checked[key] = (self._clock(), text.tenant, found)
        return text.tenant, found

    def _look_up(self, text: TokenText) -> "Token | _TokenFault":
        """Return the token that a text names, or why it opens nothing."""
        at, tenant = now_millis(), text.tenant
        with self._store.read(tenant) as tx:
            found = tx.tokens.find(text.id)
            is_known = found is not None or bool(tx.tokens.all())
        if found is None:  # whoever makes tenants up has them all counted as one
            return _TokenFault("there is no such token", tenant if is_known else None)
        token, digest = found
        if not text.matches(digest):
            return _TokenFault(f"a wrong secret of {token.caller}", tenant)
        if not token.holds(at):
            told = "the token has expired" if token.revoked_at is None else "the token was revoked"
            return _TokenFault(told, tenant, token.caller)
        day = from_millis(at).date().isoformat()
        if token.last_used_day != day:
            with self._store.write(tenant, only_adds=True) as tx:
                tx.tokens.note_use(text.id, day)
        return token


class _TokenFault(NamedTuple):
    """Reason why a token opens nothing, and whose it is, if that is known."""

    reason: str
    tenant: str | None
    caller: str | None = None


def has_way_in(store: Store) -> bool:
    """Return whether any tenant of a store has a token that somebody may use."""
    at = now_millis()
    for tenant in store.tenants():
        with store.read(tenant) as tx:
            if any(token.holds(at) for token in tx.tokens.all()):
                return True
    return False
