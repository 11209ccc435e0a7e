"""Formats into which scripts/export.py writes runs, a module each; FORMATS of `catalogue` names them."""
