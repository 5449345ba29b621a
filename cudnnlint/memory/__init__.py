"""How much GPU memory a step of a model takes, term by term, and on which GPUs that fits."""
