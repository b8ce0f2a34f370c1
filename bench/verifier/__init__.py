"""Memories in dispute, unconfirmed or often used: cases that others wrote."""
