"""What memories say of a repository's files, and whether these have changed since."""
