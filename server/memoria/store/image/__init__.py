"""Image: what a process knows of a tenant between searches, and how it follows the file."""
