"""Arrays, pictures and tables out of files: what is known of them, and what the rest is unknown for."""

from __future__ import annotations

import pytest

from cudnnlint.values import Tensor, Unknown
from tests.interpret import names_of

HEAD = """
import glob, os, pickle
import cv2, h5py
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, StandardScaler
df = pd.read_csv("f.csv")
known = df[["a", "b", "c"]]
"""


def value(text: str) -> object:
    return names_of(HEAD + text)["x"]


@pytest.mark.parametrize(("text", "shown"), [
    ("np.load('f.npz')['x_train']", "?[...]"),
    ("np.load('f.npz')['x_train'].reshape(-1, 28, 28, 1).astype('float32') / 255", "float32[?, 28, 28, 1]"),
    ("np.load('f.npy')[:, None].astype('uint8')", "uint8[...]"),
    ("np.load(os.environ['F'])['a'].reshape((50, 8))", "?[50, 8]"),
    ("np.loadtxt('f', delimiter=',').reshape(-1, 4)", "float64[?, 4]"),
    ("np.fromfile('f', np.uint8)", "uint8[?]"), ("np.fromfile('f', '<f4', 12)", "float32[12]"),
    ("np.memmap('f', 'float32', 'r', shape=(10, 6))", "float32[10, 6]"),
    ("h5py.File('f', 'r')['train']['x'][:].reshape(-1, 3)", "?[?, 3]"),
    ("df.values", "?[?, ?]"), ("df.drop(columns=['y']).to_numpy().astype('float32')", "float32[?, ?]"),
    ("df.to_numpy(dtype='float32')[:, :-1]", "float32[?, ?]"), ("df['y'].values.reshape(-1, 1)", "?[?, 1]"),
    ("known.values", "?[?, 3]"), ("known.drop('a', axis=1).values", "?[?, 2]"), ("known.fillna(0).values", "?[?, 3]"),
    ("known.astype('float32').values", "float32[?, 3]"), ("train_test_split(known, df['y'])[0].values", "?[?, 3]"),
    ("train_test_split(known, df['y'])[3].values", "?[?]"), ("np.array(known.dropna())", "?[?, 3]"),
    ("pd.get_dummies(df['y']).values", "?[?, ?]"), ("pd.read_csv('f', usecols=['a', 'b']).values", "?[?, 2]"),
    ("pd.read_csv('f', names=['a', 'b'], index_col='a').values", "?[?, ?]"),
    ("pd.DataFrame(np.zeros((5, 2))).values", "float64[5, 2]"),
    ("pd.DataFrame({'a': [1], 'b': [2]}).values", "?[1, 2]"),
    ("StandardScaler().fit_transform(known)", "?[?, 3]"), ("MinMaxScaler().fit_transform(np.zeros((9, 2), int))",
                                                           "float64[9, 2]"),
    ("LabelEncoder().fit_transform(np.array(['a', 'b']))", "int64[2]"),
    ("PCA(n_components=4).fit_transform(np.zeros((90, 20)))", "float64[90, 4]"),
    ("cv2.imread('f.png')", "uint8[?, ?, 3]"), ("cv2.imread('f.png', cv2.IMREAD_GRAYSCALE)", "uint8[?, ?]"),
    ("cv2.imread('f.png', cv2.IMREAD_UNCHANGED)", "?[...]"),
    ("cv2.resize(cv2.imread('f.png'), (64, 48))[None]", "uint8[1, 48, 64, 3]"),
    ("cv2.resize(cv2.imread('f.png', 0), (64, 48))", "uint8[48, 64]"),
    ("cv2.resize(np.zeros((9, 9, 1)), (6, 4))", "float64[4, 6]"),
    ("cv2.cvtColor(cv2.imread('f.png'), cv2.COLOR_BGR2GRAY)", "uint8[?, ?]"),
    ("cv2.cvtColor(cv2.resize(cv2.imread('f'), (8, 8)), cv2.COLOR_BGR2RGBA)", "uint8[8, 8, 4]"),
    ("cv2.VideoCapture(0).read()[1]", "uint8[?, ?, 3]"),
    ("np.array(Image.open('f.png').convert('RGB').resize((32, 16)))", "uint8[16, 32, 3]"),
    ("np.asarray(Image.open('f.png').convert('L').crop((0, 2, 30, 12)))", "uint8[10, 30]"),
    ("np.array(Image.open('f.png').resize((32, 16)))", "?[...]"),
    ("np.array(Image.fromarray(np.zeros((4, 5, 3), 'uint8')))", "uint8[4, 5, 3]"),
])
def test_what_is_known_of_data_out_of_files(text: str, shown: str) -> None:
    found = value(f"x = {text}\n")
    assert isinstance(found, Tensor), found
    assert str(found) == shown


@pytest.mark.parametrize(("text", "why"), [
    ("np.load('f.npy', allow_pickle=True)", "from np.load(...)"),
    ("pickle.load(open('f', 'rb'))", "from pickle.load(...)"),
    ("df.groupby('a').first()", "from pd.read_csv(...)"), ("pd.concat([df, df])", "from pd.concat(...)"),
    ("pd.read_csv('f', chunksize=5)", "from pd.read_csv(...)"), ("np.load('f.npz')['x'].shape[0]", "from np.load(...)"),
    ("len(df)", "from pd.read_csv(...)"),
])
def test_what_is_not_known_names_its_source(text: str, why: str) -> None:
    found = value(f"x = {text}\n")
    assert isinstance(found, Unknown), found
    assert found.why == why


@pytest.mark.parametrize(("steps", "width"), [
    ("known['d'] = 0", "4"), ("known['a'] = 0", "3"), ("known.pop('a')", "2"), ("known[input()] = 0", "?"),
    ("known.drop(columns=['a'], inplace=True)", "?"), ("known.insert(0, 'z', 1)", "?"),
    ("if input():\n    known['d'] = 0", "?"), ("y = known.pop('b'); known['e'] = y", "3"),
])
def test_columns_that_come_and_go_are_counted(steps: str, width: str) -> None:
    assert str(value(f"{steps}\nx = known.values\n")) == f"?[?, {width}]"


def test_a_thumbnail_changes_the_picture_itself() -> None:
    assert str(value("p = Image.open('f').convert('RGB').resize((9, 9))\np.thumbnail((4, 4))\nx = np.array(p)\n")) == \
        "uint8[?, ?, 3]"
