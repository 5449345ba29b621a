"""Which versions the verdicts on a file are about: by settings, requirements, imports and clues."""
