"""The cases of the validation suite: runs, predictions of theory, measurements.

`case` defines a case, `command` is `scripts/study validation`, `page` writes the results; `catalogue` lists the other
modules, which contain the cases. To add a case, write two functions in one of these modules: one returns the runs, the
other measures and draws them. Add an entry to CASES of the module. `page` adds legends and layout.
"""
