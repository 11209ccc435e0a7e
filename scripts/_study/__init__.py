"""Studies: runs of a scene over lists of values and seeds, their figures with errors, and a page about them.

`plan` reads the file with the runs and the figures to measure, `running` makes the runs, `measures` turns a run into figures,
`page` writes the results. `study.py` lists the studies of the project itself, which are programs of their own.
"""
