"""Reviews as padded sequences, parallel convolutions over words."""

from tensorflow.keras import Model, layers
from tensorflow.keras.datasets import imdb
from tensorflow.keras.layers import Dense, Embedding, GlobalMaxPooling1D
from tensorflow.keras.preprocessing.sequence import pad_sequences

MAX_WORDS = 3000
MAX_LENGTH = 80
KERNEL_SIZES = [3, 4, 5]

(x_train, y_train), (x_test, y_test) = imdb.load_data(num_words=MAX_WORDS)
x_train = pad_sequences(x_train, maxlen=MAX_LENGTH)


class TextCNN(Model):
    def __init__(self, max_length, vocabulary, embedding_dim, kernel_sizes=KERNEL_SIZES, class_num=1):
        super(TextCNN, self).__init__()
        self.kernel_sizes = kernel_sizes
        self.embedding = Embedding(vocabulary, embedding_dim)
        self.convs = []
        self.poolings = []
        for kernel_size in self.kernel_sizes:
            self.convs.append(layers.Conv1D(64, kernel_size, activation="relu"))
            self.poolings.append(GlobalMaxPooling1D())
        self.classifier = Dense(class_num, activation="sigmoid")

    def call(self, inputs):
        embedding = self.embedding(inputs)
        found = []
        for i in range(len(self.kernel_sizes)):
            c = self.convs[i](embedding)
            found.append(self.poolings[i](c))
        return self.classifier(layers.Concatenate()(found))


model = TextCNN(MAX_LENGTH, MAX_WORDS, 50)
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=32, epochs=10)
