"""The cases of the validation suite: what is run, what theory predicts, what was measured.

`case` defines a case, `command` is `scripts/study validation`, `page` writes the results; the other modules
hold the cases, and `catalogue` lists them. A new case is two functions in one of these modules, one that names its runs
and one that measures and draws them, and an entry in the module's CASES. Legends and layout are the page's.
"""
