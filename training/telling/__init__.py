"""Texts that tell something of their author's world and texts that do not, with a trainer."""
