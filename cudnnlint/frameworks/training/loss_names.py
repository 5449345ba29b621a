"""The losses of Keras under all their names."""

from __future__ import annotations

SHORT = {"mse": "mean_squared_error", "mae": "mean_absolute_error", "mape": "mean_absolute_percentage_error",
         "msle": "mean_squared_logarithmic_error", "kld": "kl_divergence", "bce": "binary_crossentropy",
         "kullback_leibler_divergence": "kl_divergence", "cosine_proximity": "cosine_similarity", "logcosh": "log_cosh"}
"""Short and former names of loss functions."""
CLASSES = ("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
           "Huber", "LogCosh", "Poisson", "KLDivergence", "CosineSimilarity", "Hinge", "SquaredHinge",
           "CategoricalHinge", "CategoricalFocalCrossentropy", "BinaryFocalCrossentropy",
           "SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy", "Dice", "Tversky",
           "Circle", "CTC")
"""Loss classes (keras/src/losses/losses.py)."""
PLAIN = ("mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
         "mean_squared_logarithmic_error", "huber", "log_cosh", "poisson", "kl_divergence", "cosine_similarity",
         "hinge", "squared_hinge", "categorical_hinge", "categorical_focal_crossentropy",
         "binary_focal_crossentropy", "sparse_categorical_crossentropy", "categorical_crossentropy",
         "binary_crossentropy")
FUNCTIONS = {name: name for name in PLAIN} | {short: name for short, name in SHORT.items() if short != "bce"} | {
    upper: SHORT[upper.lower()] for upper in ("MSE", "MAE", "MAPE", "MSLE", "KLD")}
"""Name of a loss function -> the name that it has today."""
