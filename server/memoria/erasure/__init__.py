"""Erasure: what is forgotten, what falls with it, and how it is kept from coming back."""
