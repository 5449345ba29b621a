"""Models as tables: layers, shapes and parameters, for people and programs."""
