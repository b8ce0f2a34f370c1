"""Names of our tools, as clients spell them: their calls and answers are no conversation."""

OUR_TOOLS = frozenset(
    {
        "search_memory",
        "search_conversation_traces",
        "get_memory",
        "remember",
        "revise_memory",
        "forget_memory",
        "record_conversation",
        "update_scratchpad",
    }
)


def is_our_tool(name: str) -> bool:
    """Check whether a tool's name, as any client spells it (`mcp__memoria__remember`), is ours."""
    spelled = name.removeprefix("MCP:")
    for sign in "./:":
        spelled = spelled.replace(sign, "__")
    server, _, tool = spelled.rpartition("__")
    if tool in OUR_TOOLS:
        return not server or "memoria" in server.lower()
    # Gemini CLI and OpenCode join with one underscore, which our tools' names have too; others with
    # a hyphen.
    joined = tuple(f"{sign}{own}" for sign in "_-" for own in OUR_TOOLS)
    return "memoria" in name.lower() and name.endswith(joined)
