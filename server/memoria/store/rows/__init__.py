"""Rows: the tables of a tenant, each a class over named statements, and the transaction of them."""
