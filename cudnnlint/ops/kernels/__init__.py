"""What a layer asks of the GPU when it is trained: the operations of a step, as far as memory goes."""
