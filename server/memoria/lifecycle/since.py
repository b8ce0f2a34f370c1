"""Since when a step looks: what its last run has looked at need not be looked at again."""

from memoria.lifecycle.interface import StepContext

_RUNS = 100


def last_done(context: StepContext, step: str) -> int | None:
    """The moment since which a step looks: the one asked for, or that of its last run.

    A run that was undone does not count. None where there is no such run: all is new.
    """
    if context.run.options.since is not None:
        return context.run.options.since
    with context.store.read(context.tenant) as tx:
        runs = tx.nightly_runs.list_runs(_RUNS)
    done = (
        run.at
        for run in runs
        if run.state in ("finished", "stopped")
        and any(report.name == step and report.state == "applied" for report in run.steps)
    )
    return max(done, default=None)
