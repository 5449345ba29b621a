"""Encoder and decoder LSTMs that hand over their states, and wrappers."""

import numpy as np
from tensorflow.keras.layers import GRU, LSTM, Bidirectional, Dense, Embedding, Input, RepeatVector, TimeDistributed
from tensorflow.keras.models import Model, Sequential

num_encoder_tokens, num_decoder_tokens, latent_dim = 71, 93, 32

encoder_inputs = Input(shape=(None, num_encoder_tokens))
encoder = LSTM(latent_dim, return_state=True)
encoder_outputs, state_h, state_c = encoder(encoder_inputs)
encoder_states = [state_h, state_c]

decoder_inputs = Input(shape=(None, num_decoder_tokens))
decoder_lstm = LSTM(latent_dim, return_sequences=True, return_state=True)
decoder_outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=encoder_states)
decoder_dense = Dense(num_decoder_tokens, activation="softmax")
decoder_outputs = decoder_dense(decoder_outputs)
model = Model([encoder_inputs, decoder_inputs], decoder_outputs)

encoder_model = Model(encoder_inputs, encoder_states)
state_inputs = [Input(shape=(latent_dim,)), Input(shape=(latent_dim,))]
outputs, h, c = decoder_lstm(decoder_inputs, initial_state=state_inputs)
decoder_model = Model([decoder_inputs] + state_inputs, [decoder_dense(outputs), h, c])

tagger = Sequential([
    Embedding(500, 24, mask_zero=True),
    Bidirectional(LSTM(16, return_sequences=True)),
    Bidirectional(GRU(12, return_sequences=True), merge_mode="sum"),
    TimeDistributed(Dense(9, activation="softmax")),
])
tags = tagger(np.ones((3, 14), dtype="int32"))

copier = Sequential()
copier.add(Input((20, 5)))
copier.add(LSTM(30))
copier.add(RepeatVector(7))
copier.add(LSTM(30, return_sequences=True))
copier.add(TimeDistributed(Dense(11)))
