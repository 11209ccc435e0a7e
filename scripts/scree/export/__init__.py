"""Formats into which scripts/export.py writes runs, a module each; `catalogue` names them."""
