from ..constants import INPUT_SHAPE, NUM_CLASSES, WIDTHS

NETS = {}


def register(function):
    NETS[function.__name__] = function
    return function


def get_net(name, **kwargs):
    return NETS[name](**kwargs)


@register
def full(width=20):
    from tensorflow.keras import Model

    from . import Decoder, build_encoder

    encoder = build_encoder(INPUT_SHAPE, WIDTHS)
    return Model(encoder.input, Decoder(width, NUM_CLASSES)(encoder.outputs), name="full")


@register
def light(shape=INPUT_SHAPE):
    from tensorflow.keras import Model

    from .decoder import light_head
    from .encoder import build_encoder

    encoder = build_encoder(shape, WIDTHS[:2])
    return Model(encoder.input, light_head(encoder.output[-1], NUM_CLASSES), name="light")
