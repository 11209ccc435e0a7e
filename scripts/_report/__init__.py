"""Modules of report.py: `part` has the data of a run, each of the others makes a section of the page."""
