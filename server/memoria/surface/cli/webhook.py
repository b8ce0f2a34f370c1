"""Commands on webhooks: addresses to which what changes in this memory is told."""

from collections.abc import Sequence
from typing import Annotated

import typer

from memoria.model.base import count_end_chars, write_document
from memoria.model.events import Webhook
from memoria.surface.cli.console import AsJson, is_for_subcommand, show, with_memory
from memoria.surface.cli.times import moment

app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
app.add_typer(group, name="webhook")

Id = Annotated[str, typer.Argument(help="Its id, or the end of it.")]


@group.callback()
def list_unless_named(context: typer.Context, as_json: AsJson = False) -> None:
    """List the addresses to which a server over HTTP sends events; add, try or remove one."""
    if not is_for_subcommand(context, has_options=as_json):
        list_webhooks(context, as_json=as_json)


@group.command("list")
def list_webhooks(context: typer.Context, as_json: AsJson = False) -> None:
    """List the webhooks: when events last arrived at each, and why they do not."""
    webhooks = with_memory(context, lambda memory: memory.webhooks.list())
    show(write_document(webhooks=webhooks), _list_text(webhooks), as_json=as_json)


@group.command("add")
def add(
    context: typer.Context,
    url: Annotated[str, typer.Argument(help="Address at which a program takes events.")],
    as_json: AsJson = False,
) -> None:
    """Send what changes from now on to an address, and show the secret of the signatures, once."""
    added = with_memory(context, lambda memory: memory.webhooks.add(url), begins_home=True)
    text = (
        f"{added.secret}\n\n"
        "This secret signs what is sent, and is shown this once: put it where the program that "
        f"takes events keeps secrets. Try it with `memoria webhook test {_name(added.webhook)}`. A "
        "server over HTTP (`memoria serve --http`) sends events while it runs."
    )
    document = write_document(webhook=added.webhook, secret=added.secret)
    show(document, text, as_json=as_json)


@group.command("test")
def send_test(context: typer.Context, id: Id, as_json: AsJson = False) -> None:  # noqa: A002
    """Send a message without events to a webhook now, and say what came of it."""
    tried = with_memory(context, lambda memory: memory.webhooks.test(id))
    document = write_document(webhook=tried.webhook, arrived=tried.fault is None, fault=tried.fault)
    came = "the message arrived" if tried.fault is None else tried.fault
    show(document, f"{tried.webhook.url}: {came}.", as_json=as_json)
    if tried.fault is not None:
        raise typer.Exit(1)


@group.command("remove")
def remove(context: typer.Context, id: Id, as_json: AsJson = False) -> None:  # noqa: A002
    """Send no more events to a webhook."""
    removed = with_memory(context, lambda memory: memory.webhooks.remove(id))
    show(removed, f"{removed.url} gets no more events.", as_json=as_json)


def _list_text(webhooks: Sequence[Webhook]) -> str:
    if not webhooks:
        return "There is no webhook. `memoria webhook add URL` adds one."
    chars = count_end_chars(one.id for one in webhooks)
    return "\n".join(f"{one.id[-chars:]}  {one.url}: {_describe(one)}" for one in webhooks)


def _describe(webhook: Webhook) -> str:
    arrived = webhook.delivered_at
    state = "nothing has arrived" if arrived is None else f"last arrived {moment(arrived)}"
    if webhook.last_error is None:
        return state
    again = moment(webhook.not_before)
    return f"{state}; {webhook.last_error} (attempt {webhook.attempts}, the next at {again})"


def _name(webhook: Webhook) -> str:
    return webhook.id[-8:]
