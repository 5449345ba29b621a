"""What the rest of the project agrees on."""

HEIGHT, WIDTH = 72, 56
CHANNELS = 3
INPUT_SHAPE = (HEIGHT, WIDTH, CHANNELS)
WIDTHS = [8, 16, 24]
CLASSES = ("road", "sky", "car", "tree")
NUM_CLASSES = len(CLASSES)
