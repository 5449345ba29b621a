"""keras.applications: models out of recorded facts."""
