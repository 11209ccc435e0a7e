"""The cases of the validation suite: what is run, what theory says of it, what was measured.

`case` says what a case is, `command` is `scripts/study validation`, `page` writes what came of it; the other modules
hold the cases, and `catalogue` lists them. A new case is two functions in one of these modules, one that names its runs
and one that measures and draws them, and an entry in the module's CASES. Legends and layout are the page's.
"""
