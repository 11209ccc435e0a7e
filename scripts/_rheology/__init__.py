"""The modules of the command `scripts/study rheology`: steady shear flows without walls, compared with published laws."""
