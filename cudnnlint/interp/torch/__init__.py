"""PyTorch's tensors: where they lie, and what autograd keeps of them."""
