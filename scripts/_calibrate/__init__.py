"""Calibration: parameters of scenes from measured targets, by a Gaussian process through figures of runs.

`plan` reads targets and bounds, `surrogate` fits and samples, `search` chooses the runs, `page` writes the results.
"""
