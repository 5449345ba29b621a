"""How a call of keras.applications becomes a model: imported when a program makes one."""
