"""What real Keras makes of a program, beside what is inferred of it."""
