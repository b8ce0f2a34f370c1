"""Blocks to paste into each client, so that it reaches this memory over HTTP with a token."""

import json


def write_blocks(url: str, token: str) -> dict[str, str]:
    """Write what is pasted into each client, by the client's name and where it is pasted.

    Args:
        url: where the server is reached, such as http://127.0.0.1:8420.
        token: the text of a token.
    """
    mcp = f"{url.rstrip('/').removesuffix('/mcp')}/mcp"
    bearer = f"Bearer {token}"
    headers = {"Authorization": bearer}
    entry: dict[str, object] = {"url": mcp, "headers": headers}
    claude = f'claude mcp add --scope user --transport http memoria {mcp} --header "Authorization: '
    codex = f'[mcp_servers.memoria]\nurl = "{mcp}"\nhttp_headers = {{ Authorization = "{bearer}" }}'
    gemini: dict[str, object] = {"httpUrl": mcp, "headers": headers}
    return {
        "Claude Code, in a shell": f'{claude}{bearer}"',
        "Codex, ~/.codex/config.toml": codex,
        "Cursor, ~/.cursor/mcp.json": _write("mcpServers", entry),
        "VS Code, .vscode/mcp.json": _write("servers", {"type": "http", **entry}),
        "Gemini CLI, ~/.gemini/settings.json": _write("mcpServers", gemini),
        "OpenCode, ~/.config/opencode/opencode.json": json.dumps(
            {"mcp": {"servers": {"memoria": {"type": "remote", **entry}}}}
        ),
    }


def _write(key: str, entry: dict[str, object]) -> str:
    return json.dumps({key: {"memoria": entry}})
