"""A hook from its first line to its last: what a client tells it, what it spools, what it says.

Whatever happens the hook ends with 0 and prints nothing that a client could take for an error.
Errors are noted in the home, for `memoria doctor`. The hook ends itself after a few seconds,
whatever it waits for.
"""

import _thread
import os
import time

from memoria.bare.ask import ask_server, list_begun, remove_file
from memoria.bare.home import find_home, find_tenant
from memoria.bare.ignored import is_ignored
from memoria.bare.plain_json import read_json
from memoria.bare.remote import ask_remote, is_remote, own_home, read_server
from memoria.bare.sealing import is_sealed
from memoria.bare.settings_file import SettingsFileError, find_ignored_folders, find_silent_share
from memoria.bare.spool import append_entry, describe_error, note_failure, note_heard
from memoria.surface.hook.payloads import TRANSCRIPT_CLIENTS, Payload, find_transcript, is_from
from memoria.surface.hook.replies import GUIDE, IS_LEFT_OUT, IS_RECORDED, NOT_REACHED, make_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


OFF = "MEMORIA_HOOKS"
"""Variable whose value `off` has hooks do nothing."""
ASKED = "MEMORIA_ASKED"
"""Variable of a program that Memoria itself asks: no user's words are in its session."""
_TELL_NO_END = ("qwen", "cline", "opencode", "kilo", "vscode", "openclaw")
"""Clients whose sessions may end unannounced: any answer may be the last."""
_SENDING = ("start", "stop", "compact", "end")
"""Events at which what waits is sent to a server elsewhere."""
_TELLING = ("start", "prompt")
"""Events at which a session may be told what memory has."""
_LONGEST_S, _LONGEST_RECALL_S = 3.0, 9.0
"""Longest time of a hook, and of a prompt's hook with recall, for which clients wait 10 s."""
_NOTING_S = 0.5
_MOST_INPUT = 64 << 20
_PIECE = 1 << 16
_BRIEFING_MS = 1_500
_RECALL_MS = 150
_REMOTE_BRIEFING_S, _REMOTE_RECALL_S = 1.5, 2.0
"""Longest waits for a server elsewhere."""
_FIRST_RECALL_MS = 8_000
"""Longest wait for a server that is loading, as at the first prompt."""


class _Options:
    """Options of the program as the client starts it."""

    def __init__(self, arguments: list[str]) -> None:
        self.client = "unknown"
        self.recalls = False
        self.guards = False
        named = {"--home": "", "--tenant": "", "--workspace": "", "--event": ""}
        left = list(arguments)
        while left:
            one = left.pop(0)
            name, sign, value = one.partition("=")
            if name in named:
                named[name] = value if sign else (left.pop(0) if left else "")
            elif one == "--recall":
                self.recalls = True
            elif one == "--guard":
                self.guards = True
            elif not one.startswith("-"):
                self.client = one
        self.home = find_home(named["--home"], named["--tenant"])
        self.tenant = find_tenant(named["--tenant"])
        self.event = named["--event"]
        self.workspace = named["--workspace"] or os.environ.get("MEMORIA_WORKSPACE", "")
        self.reply = ""
        """Text to print if the time is over."""
        self._is_answered = _thread.allocate_lock()

    def answer(self, reply: str) -> None:
        """Print the reply to the client, once."""
        if self._is_answered.acquire(blocking=False):
            _print(reply)


def run(arguments: list[str]) -> None:
    """Do a hook's work and end the process."""
    if os.environ.get(OFF, "").lower() in {"off", "0", "false"} or ASKED in os.environ:
        os._exit(0)
    try:
        options = _Options(arguments)
        longest_s = _LONGEST_RECALL_S if options.recalls else _LONGEST_S
        _thread.start_new_thread(_end_after, (longest_s, options))
        _serve(options)
    finally:
        os._exit(0)


def _end_after(seconds: float, options: _Options | None) -> None:
    time.sleep(seconds)
    if options is not None:
        _thread.start_new_thread(_end_after, (_NOTING_S, None))  # writing the note may hang, too
        options.answer(options.reply)
        _note(options, f"a hook was not done after {seconds:.0f} seconds and has ended itself")
    os._exit(0)


def _serve(options: _Options) -> None:
    try:
        fields = read_input()
        payload = Payload(fields if isinstance(fields, dict) else {}, options.event)
    except (OSError, ValueError) as error:
        _note(options, f"a hook was told what is no JSON: {describe_error(error)}")
        payload = Payload({})
    text = ""
    if payload.event and not payload.is_of_subagent and is_from(options.client, payload):
        try:
            if payload.event == "before":
                text = _warn(options, payload)
            else:
                state = _capture(options, payload)
                text = _find_text(options, payload, state)
        except Exception as error:  # noqa: BLE001  (the client still gets its answer)
            _note(options, f"{payload.event} was not answered: {describe_error(error)}")
    options.answer(make_reply(options.client, payload.event, payload.name, text))


def _capture(options: _Options, payload: Payload) -> str:
    """Write what was said, or its place, into the spool; return a note on that for the agent."""
    if _is_left_out(options, payload):
        return IS_LEFT_OUT
    try:
        note_heard(options.home, options.tenant, options.client)
        if payload.event == "tool" and payload.is_ours:
            return IS_RECORDED
        entry = make_entry(options.client, payload)
        if entry is None:
            return ""
        if "turns" not in entry or (not is_sealed(options.home) and _is_clean(entry["turns"])):
            append_entry(options.home, options.tenant, entry)
        else:
            from memoria.surface.hook.handover import hand_over

            hand_over(options.home, options.tenant, entry)
        _pass_on(options, payload)
    except (OSError, LookupError) as error:
        _note(options, f"{payload.event} was not recorded: {describe_error(error)}")
        return ""
    return IS_RECORDED


def _is_left_out(options: _Options, payload: Payload) -> bool:
    """Check whether nothing of the session's folder is kept, or nobody can tell."""
    homes = [options.home, *([own_home(options.home)] if is_remote(options.home) else [])]
    try:
        return any(is_ignored(payload.folder, find_ignored_folders(home)) for home in homes)
    except SettingsFileError as error:
        _note(options, f"nothing is recorded until this is mended: {error}")
        return True


def _pass_on(options: _Options, payload: Payload) -> None:
    """Start a process that takes in or sends what waits, where no server will do so by itself."""
    if is_remote(options.home):
        if payload.event in _SENDING:
            from memoria.surface.hook.handover import send_later

            send_later(options.home, options.tenant)
    elif payload.event == "end" or (payload.event == "stop" and options.client in _TELL_NO_END):
        from memoria.surface.hook.handover import take_in_later

        take_in_later(options.home, options.tenant, _find_workspace(options, payload))


def make_entry(client: str, payload: Payload) -> dict[str, object] | None:
    """Return the spool's entry for an event; None if the event says nothing."""
    entry: dict[str, object] = {
        "v": 1,
        "client": client,
        "event": payload.event,
        "session": payload.session,
        "at": time.time_ns() // 1_000_000,
        "cwd": payload.folder,
    }
    if payload.prompt_id:
        entry["prompt_id"] = payload.prompt_id
    if payload.turn_id:
        entry["turn_id"] = payload.turn_id
    transcript = find_transcript(client, payload)
    if client in TRANSCRIPT_CLIENTS and not transcript:
        return None  # the user wants nothing of the session written
    if transcript:
        entry["transcript"] = transcript
        try:
            entry["offset"] = os.stat(transcript).st_size
        except OSError:
            entry["offset"] = 0  # the transcript is not written yet
        return entry
    if not payload.session:
        raise LookupError  # without a session, the words belong to no conversation
    turns = payload.list_turns()
    if not turns and payload.event in {"prompt", "tool", "stop"}:
        return None
    return {**entry, "turns": turns} if turns else entry


def _is_clean(turns: object) -> bool:
    """Check that the texts of an entry surely hold no secret, so that they may be written down."""
    from memoria.surface.hook.sieve import flatten, is_surely_clean

    said = ("content", "tool_name", "tool_args", "tool_result")
    texts = [[turn.get(name) for name in said] for turn in turns] if isinstance(turns, list) else []
    return is_surely_clean(flatten(texts))


def _find_text(options: _Options, payload: Payload, state: str) -> str:
    """Return the text that the model is to read; where memory is silent, none of what it has."""
    if state == IS_LEFT_OUT or payload.event not in _TELLING:
        return _find_told(options, payload, state)
    unasked = state if payload.begins else ""
    return _tell(options, payload, lambda: _find_told(options, payload, state), unasked)


def _tell(options: _Options, payload: Payload, find: "Callable[[], str]", unasked: str = "") -> str:
    """Return what is found for a session, or where memory is silent in it what it is told anyway.

    While a share of sessions is silent, what each is told is noted.
    """
    share = _find_silent_share(options, payload)
    if not share:
        return find()
    from memoria.bare.silence import is_silent, note_session

    silent = is_silent(payload.session, share)
    text = unasked if silent else find()
    if payload.begins or text:
        try:
            note_session(options.home, options.tenant, payload.session, text, silent=silent)
        except OSError as error:
            _note(options, f"what a session was told is not noted: {describe_error(error)}")
    return text


def _find_silent_share(options: _Options, payload: Payload) -> float:
    """Return the share of sessions in which memory is silent; 0 where nobody can compare them."""
    if is_remote(options.home) or not payload.session:
        return 0.0
    try:
        return find_silent_share(options.home)
    except SettingsFileError as error:
        _note(options, f"memory is silent in no session until this is mended: {error}")
        return 0.0


def _find_told(options: _Options, payload: Payload, state: str) -> str:
    """Return what a session is told: the briefing, what bears on a prompt, a word on a call."""
    if payload.event == "tool":
        return _warn(options, payload)
    text = ""
    if payload.begins:
        text = state
        session = payload.session if state == IS_RECORDED else ""
        for briefing in _find_briefings(options, payload, session):  # a later briefing is newer
            text = state + briefing
            options.reply = make_reply(options.client, payload.event, payload.name, text)
    if payload.event == "prompt" and payload.prompt and options.recalls:
        text += _recall(options, payload)
    return text


def _warn(options: _Options, payload: Payload) -> str:
    """Return the line that is worth saying with a call; empty for none. Nothing is recorded."""
    is_asked = options.guards and not payload.is_ours and not is_remote(options.home)
    if not is_asked or _is_left_out(options, payload):
        return ""
    return _tell(options, payload, lambda: _find_word(options, payload))


def _find_word(options: _Options, payload: Payload) -> str:
    from memoria.bare.guard_words import choose_line, note_asked

    note_asked(options.home, options.tenant)
    workspace = _find_workspace(options, payload)
    named = (payload.session, payload.tool, payload.arguments)
    line = choose_line(options.home, options.tenant, workspace, *named)
    return f"<memoria>\n{line}\n</memoria>" if line else ""


def _recall(options: _Options, payload: Payload) -> str:
    """Ask a server what the memory has on a prompt, and wait for a server that is loading."""
    request: dict[str, object] = {
        "ask": "recall",
        "workspace": _find_workspace(options, payload),
        "session": payload.session,
        "prompt": payload.prompt,
    }
    if is_remote(options.home):
        return _ask_remote(options, request, _REMOTE_RECALL_S) or ""
    begun = list_begun(options.home, options.tenant)
    wait_ms = _FIRST_RECALL_MS if begun else _RECALL_MS
    answer = ask_server(options.home, options.tenant, request, wait_ms, is_starting=bool(begun))
    if answer is None:
        for path in begun:
            remove_file(path)
    return _read_text(answer)


def _find_briefings(options: _Options, payload: Payload, session: str = "") -> "Iterator[str]":
    """Yield the kept briefing, then a server's briefing if it comes in time.

    In a project of which nothing is kept, it is what holds in every one. Where more was recorded
    since, it says when it was kept. What it shows is noted for a session that is recorded.
    """
    from memoria.bare.kept import BRIEFING, read_general, read_kept
    from memoria.bare.kept_before import read_of_before
    from memoria.bare.shown import note_kept

    workspace = _find_workspace(options, payload)
    if is_remote(options.home):
        yield NOT_REACHED
        asked: dict[str, object] = {"ask": "briefing", "workspace": workspace}
        asked["session"] = payload.session
        if text := _ask_remote(options, asked, _REMOTE_BRIEFING_S):
            yield text
        return
    kept = read_kept(options.home, options.tenant, workspace, BRIEFING)
    home, tenant = options.home, options.tenant
    yield (
        kept
        or read_general(home, tenant, BRIEFING)
        or read_of_before(home, tenant, workspace)
        or GUIDE
    )
    if kept is None:
        request: dict[str, object] = {"ask": "briefing", "workspace": workspace, "session": session}
        answer = ask_server(options.home, options.tenant, request, _BRIEFING_MS, is_starting=True)
        yield from filter(None, [_read_text(answer)])
    elif session:
        note_kept(home, tenant, session, workspace, lambda reason: _note(options, reason))


def _ask_remote(options: _Options, request: dict[str, object], wait_s: float) -> str | None:
    server = read_server(options.home)
    asked = {**request, "client": options.client}
    return None if server is None else ask_remote(server, asked, wait_s)


def _find_workspace(options: _Options, payload: Payload) -> str | None:
    if options.workspace:
        return None if options.workspace == "none" else options.workspace
    from memoria.bare.projects import find_project

    return find_project(options.home, payload.folder)


def _read_text(answer: dict[str, object] | None) -> str:
    text = answer.get("text") if answer else None
    return text if isinstance(text, str) else ""


def read_input() -> object:
    """Read the client's payload up to its end; some clients leave the pipe open.

    Raises:
        OSError: it can't be read.
        ValueError: it is no JSON.
    """
    content = bytearray()
    while len(content) <= _MOST_INPUT and (piece := os.read(0, _PIECE)):
        content += piece
        may_be_whole = piece.endswith((b"}", b"}\n", b"}\r\n")) and len(piece) < _PIECE
        if may_be_whole and content.count(b"{") <= content.count(b"}"):
            try:
                return read_json(content.decode("utf-8", "replace"))
            except ValueError:
                continue  # the brace was within a text
    return read_json(content.decode("utf-8", "replace"))


def _print(text: str) -> None:
    if text:
        try:
            os.write(1, text.encode("utf-8", "replace") + b"\n")
        except OSError:
            return  # the client no longer listens


def _note(options: _Options, reason: str) -> None:
    try:
        note_failure(options.home, options.tenant, options.client, reason)
    except OSError:
        return  # a full or read-only disk: the error can't be noted anywhere
