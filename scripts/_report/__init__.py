"""The sections of report.py: `part` is a run, the others make pieces of a page of them."""
