"""Calibration of scenes: finds parameters that give measured targets, with a Gaussian process for each target.

`plan` reads targets and bounds, `surrogate` fits and samples, `search` chooses the runs, `page` writes the results.
"""
