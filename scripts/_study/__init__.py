"""Studies: runs of a scene over lists of values and seeds, figures of the runs with errors, and a page.

`plan` reads the file with the runs and the figures to measure, `running` makes the runs, `measures` turns a run into figures,
`page` writes the results. `study.py` lists the project's own studies, which have separate packages.
"""
