"""Webhooks are managed in a shell: the secret is shown once, and no address inside is taken."""

import json

from tests.surface.shell import Shell

URL = "https://events.example/memoria"


def test_a_webhook_is_added_shown_and_removed_and_its_secret_shown_once(shell: Shell) -> None:
    assert "There is no webhook" in shell("webhook").out
    added = shell("webhook", "add", URL).out
    secret = added.partition("\n")[0]
    assert secret.startswith("whsec_")
    (listed,) = shell("webhook", "--json").document["webhooks"]
    assert (listed["url"], secret in json.dumps(listed)) == (URL, False)
    assert "nothing has arrived" in shell("webhook", "list").out
    assert "gets no more events" in shell("webhook", "remove", listed["id"][-6:]).out
    assert shell("webhook", "list", "--json").document == {"webhooks": []}
    told = shell("log").out
    assert told.index("removed a webhook") < told.index("added a webhook")
    assert secret.removeprefix("whsec_") not in told


def test_a_webhook_leads_nowhere_inside_unless_that_is_configured(shell: Shell) -> None:
    refused = shell("webhook", "add", "http://127.0.0.1:9/events")
    assert refused.code == 1
    assert "MEMORIA_PRIVATE_NETWORKS" in refused.err
    inside = {"MEMORIA_PRIVATE_NETWORKS": "127.0.0.1"}
    assert shell("webhook", "add", "http://127.0.0.1:9/events", **inside).code == 0
    (listed,) = shell("webhook", "--json").document["webhooks"]
    tried = shell("webhook", "test", listed["id"], **inside)
    assert (tried.code, "can't be reached: ConnectError" in tried.out) == (1, True)
    later = shell("webhook", "test", listed["id"])
    assert (later.code, "no address of the public internet" in later.out) == (1, True)
