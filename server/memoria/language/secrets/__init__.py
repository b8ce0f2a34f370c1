"""Finders of secrets in a text: one module for each way of recognising them."""
