"""Words: how a text becomes search tokens, and when two spellings are one."""
