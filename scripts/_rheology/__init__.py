"""What scripts/study rheology measures: steady shear flows without walls, compared with published laws."""
