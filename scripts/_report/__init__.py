"""The sections of report.py: `part` describes a run, the other modules make pieces of the page."""
