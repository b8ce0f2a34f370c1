"""What is installed into a client by its own means: plugins, an extension, a bundle.

All files of this folder but its modules, `skill.md` and `README.md` are written by
`python -m packages.write`.
"""
