"""Arrays that are refused whatever is in them: on a device, masked, sparse, matrices."""

import numpy as np
import pytest

import fastauc
from support import public
from support.contract import FUNCTIONS, LABELS, SCORES, TAKES_WEIGHTS, refuse

pytestmark = pytest.mark.check("malformed arguments")

# Of every function.
ARGUMENTS = [
    (name, argument)
    for name in FUNCTIONS
    for argument in ("y_true", "y_score", "sample_weight")
    if argument != "sample_weight" or name in TAKES_WEIGHTS
]


def refuse_everywhere(value, kind, sentence, mentions):
    """Assert that a value is refused in the place of any column; texts may name both."""
    for name, argument in ARGUMENTS:
        arguments = {"y_true": LABELS, "y_score": SCORES} | {argument: value}
        told = [text.format(argument=argument, name=name) for text in (sentence, *mentions)]
        refuse(name, (), arguments, kind, told[0], told[1:])


class DeviceArray:
    """A tensor on a GPU, as torch has it: NumPy is refused, and told what to do."""

    shape = (6,)
    ndim = 1

    def __len__(self):
        return 6

    def refuse(self, *_, **__):
        raise TypeError("can't convert it: use Tensor.cpu() first")

    __getitem__ = __array__ = __dlpack__ = refuse


def test_arrays_on_a_device_are_refused_with_the_advice_of_their_library():
    expected = "{argument} cannot be converted to an array: can't convert it: use Tensor.cpu()"
    for value in (DeviceArray(), [0, 1, 0, 1, DeviceArray(), DeviceArray()]):
        refuse_everywhere(value, TypeError, expected, [])


@pytest.mark.parametrize("error", [TypeError, ValueError, RuntimeError, BufferError])
@pytest.mark.parametrize("protocol", ["__array__", "__dlpack__"])
def test_an_array_that_refuses_is_named(protocol, error):
    def fail(*_, **__):
        raise error("not now")

    members = {"__dlpack__": fail, "__dlpack_device__": lambda _: (1, 0)} | {protocol: fail}
    stubborn = type("Stubborn", (), members)()
    kind = ValueError if error is ValueError else TypeError
    refuse("roc_auc_score", (LABELS, stubborn), {}, kind, "y_score", ["not now"])


def test_matrices_are_refused():
    matrix = np.array(LABELS).view(np.matrix)
    refuse_everywhere(matrix, TypeError, "np.matrix is not supported", ["{argument}"])


def test_masked_entries_are_refused():
    masked = np.ma.array(LABELS, mask=[0, 0, 1, 0, 1, 0])
    refuse_everywhere(masked, ValueError, "{argument}", ["{argument}[2]"])
    cells = np.ma.array([[0.5, 0.25], [0.75, 1]], mask=[[0, 0], [0, 1]])
    refuse("roc_auc_score", (np.eye(2), cells), {}, ValueError, "y_score", ["y_score[1, 1]"])


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "lil_matrix", "dok_array"])
def test_sparse_arrays_are_refused(kind):
    sparse = pytest.importorskip("scipy.sparse")
    column = getattr(sparse, kind)(np.array(LABELS)[:, None])
    sentence = "The '{argument}' parameter of {name} must be an array-like"
    error = fastauc.InvalidParameterError
    refuse_everywhere(column, error, sentence, ["{argument}.toarray()"])


ODD = {
    "one number": np.array(1),
    "rows of unlike lengths": [[1], [1, 2], [1]],
    "durations": np.zeros(30, "m8[s]"),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_columns_are_named_by_every_function(kind):
    known = {"y_true", "y_score", "score_a", "sample_weight", "y_scores", "scores"}
    for name in {*public.FUNCTIONS} - {"roc_auc_test_ind"}:
        given = public.arguments_of(name, public.FEW)
        for key in known & given.keys():
            for options in {}, {"nan_policy": "omit"}:
                if options.keys() <= public.PARAMETERS[name].keys():
                    with pytest.raises((ValueError, TypeError), match=key):
                        public.PUBLIC[name](**given | {key: ODD[kind]} | options)
