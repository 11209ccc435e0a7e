"""Calibration of scenes: finds parameters with the measured targets, by a Gaussian process for each figure.

`plan` reads targets and bounds, `surrogate` fits and samples, `search` chooses the runs, `page` writes the results.
"""
