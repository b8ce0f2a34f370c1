"""The budget of a run: the tokens its requests may take together, out of the day's tokens.

As with the day's tokens, a request's maximum cost is reserved before it is sent. The entries are
kept with the steps, so a killed run does not get its tokens back.
"""

from memoria.errors import BudgetSpentError
from memoria.model import DailyCap, ModelCall, now_millis
from memoria.model.nightly import NightlyRun
from memoria.store.engine import JournalingStore
from memoria.store.ledger import enter_call


class NightlyLedger:
    """The store's ledger, for the requests of one run."""

    def __init__(self, store: JournalingStore, run: NightlyRun, most: int) -> None:
        """Create the ledger of a run.

        Args:
            store: what the run writes to.
            run: the run that pays.
            most: tokens it may take in all.
        """
        self.step = 0
        """Ordinal of the step that asks."""
        self.spent = False
        """True if a request was refused because too few tokens were left for it."""
        self._store = store
        self._run = run
        self._most = most
        self._entered: dict[int, tuple[int, int]] = {}

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made, with its maximum cost; return its number.

        None if the day's cap does not allow it.

        Raises:
            BudgetSpentError: the run's tokens do not allow it.
        """
        with self._store.write(tenant) as tx:
            if tx.nightly_runs.count_tokens(self._run) + call.tokens > self._most:
                self.spent = True
                raise BudgetSpentError(
                    f"The run's {self._most:,} tokens do not suffice for another request. The "
                    "next run asks it; raise MEMORIA_NIGHTLY_TOKENS for more.",
                    retry_at=now_millis(),
                )
            n = enter_call(tx, call, since, cap)
            if n is not None:
                tx.nightly_runs.note_tokens(self._run, self.step, call.tokens)
                self._entered[n] = (self.step, call.tokens)
            return n

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set an entry to the actual cost of the call."""
        step, worst = self._entered.pop(n)
        with self._store.write(tenant) as tx:
            tx.ledger.settle(n, call)
            tx.nightly_runs.note_tokens(self._run, step, call.tokens - worst)
