"""compile(), fit() and their kin: what they are given, what fails of it, and what is trained."""
