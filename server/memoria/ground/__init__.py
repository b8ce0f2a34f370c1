"""The ground under memories: what they say of a repository's files, and how that stands now."""
