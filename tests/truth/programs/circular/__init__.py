from circular.model import Tree
