"""Notes: memories as a folder of Markdown, such as an Obsidian vault, synced with the memory.

`note` writes and reads one, `folder` says where each lies and what was last written there, and
`sync` compares folder and memory and brings each in line with the other.
"""
