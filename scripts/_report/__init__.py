"""The sections of report.py, which watch.py shows too: `part` is a run, the others make pieces of a page of them."""
