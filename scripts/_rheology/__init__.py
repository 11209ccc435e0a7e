"""The parts of scripts/study rheology: steady shear flows without walls, compared with published laws."""
