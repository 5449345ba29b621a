from .decoder import Decoder
from .encoder import *
from .registry import NETS, get_net
