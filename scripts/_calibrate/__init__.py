"""Calibration: parameters of scenes from measured targets, by runs of a study and a Gaussian process through their figures.

`plan` reads targets and bounds, `surrogate` fits and samples, `search` chooses the runs, `page` writes what came of it.
"""
