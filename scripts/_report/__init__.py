"""The sections of report.py: `part` is a run, the other modules make pieces of a page."""
