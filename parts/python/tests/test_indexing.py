"""Tests that x[...] has NumPy's semantics, and of its gradients."""
import numpy as np
import pytest

import tapehead

ARRAY = np.arange(24.0).reshape(2, 3, 4)
MASK = ARRAY % 3 == 0
INDICES = [
    0, -1, slice(1, None), (slice(None), 1), (slice(None), slice(1, 3)), (0, 1, 2), (..., 0),
    (0, ...), (None, 0), (slice(None), None), (..., None), slice(None, None, -1),
    (slice(None), slice(None, None, 2)), (..., slice(3, 0, -2)), slice(5, 9), (0, slice(2, 1)),
    (), ..., [1, 0, 1], [], (slice(None), [2, 0]), (..., [0, 0, 3]), np.array([[0, 1], [1, 1]]),
    ([0, 1], [2, 0]), (slice(None), [0, 1], [2, 3]), ([[0], [1]], [0, 2]), (0, [1, 2]),
    ([1, 0], 2), ([1, 0], slice(None), 2), (0, [0, 1], [0, 1]), [-1, -2], MASK,
    [True, False], (0, MASK[0]), (slice(None), MASK[0]), (np.int64(1), 0),
    np.array([False, True])]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_an_index_is_numpys(index):
    x = tapehead.tensor(ARRAY)
    right = ARRAY[index]
    found = x[index]
    assert isinstance(found, tapehead.Tensor) and found.shape == right.shape
    np.testing.assert_array_equal(found.numpy(), right)


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_an_index_has_a_gradient(index):
    x, weights = tapehead.tensor(ARRAY), np.random.default_rng(1).normal(size=ARRAY[index].shape)
    with tapehead.Tape(x) as tape:
        [dx] = tape.gradients((x[index] * weights).sum(), [x])
    right = np.zeros(ARRAY.shape)
    np.add.at(right, index, weights)
    np.testing.assert_allclose(dx.numpy(), right)


def test_tensors_are_indices():
    x = tapehead.tensor(ARRAY)
    ids = tapehead.tensor([1, 0, 1])
    np.testing.assert_array_equal(x[ids].numpy(), ARRAY[[1, 0, 1]])
    np.testing.assert_array_equal(x[ids[0]].numpy(), ARRAY[1])
    np.testing.assert_array_equal(x[0, tapehead.tensor([2, 2])].numpy(), ARRAY[0, [2, 2]])
    assert list(range(5))[ids[0]] == 1


def test_rows_and_their_number():
    x = tapehead.tensor(ARRAY)
    assert len(x) == 2 and [row.shape for row in x] == [(3, 4)] * 2
    a, b = x
    np.testing.assert_array_equal(b.numpy(), ARRAY[1])
    assert [float(e) for e in tapehead.tensor([1.0, 2.0])] == [1, 2]


@pytest.mark.parametrize("index, text", [
    (2, "index 2 is out of bounds for axis 0 of size 2"),
    ((0, -4), "index -4 is out of bounds for axis 1 of size 3"),
    ([0, 2], "index 2 is out of bounds for axis 0 of size 2"),
    ((0, 0, 0, 0), r"too many indices \(4\) for a tensor \(2, 3, 4\)"),
    (0.5, "got float64"), ("a", "got str"), (True, "a boolean can't be an index"), ((..., ...), "one ..."),
    (np.ones(3, bool), r"a mask must have .* it is \(3\), the tensor \(2, 3, 4\)"),
    ((0, slice(None), [1]), "must be adjacent"), (([0], slice(None), [1]), "must be adjacent"),
    ((slice(None), [0], slice(None), 0), "too many"), ((slice(None), [0], None, 0), "must be adjacent"),
    (slice("a"), "slice indices must be integers")])
def test_what_is_no_index(index, text):
    with pytest.raises((IndexError, TypeError), match=text) as error:
        tapehead.tensor(ARRAY)[index]
    assert "\n" not in str(error.value)


def test_truth_values_of_ops_are_not_taken_for_numbers():
    x = tapehead.tensor([1.0, -1.0])
    with pytest.raises(IndexError, match="only 0s and 1s is ambiguous"):
        x[x > 0]
    np.testing.assert_array_equal(x[(x > 0).numpy() == 1].numpy(), [1])
    np.testing.assert_array_equal(x[(x > 0).numpy()].numpy(), [-1, 1])


def test_elements_are_not_assigned():
    x = tapehead.tensor([1.0])
    with pytest.raises(TypeError, match="tensors are immutable"):
        x[0] = 2
    with pytest.raises(TypeError, match="tensors are immutable"):
        del x[0]
    with pytest.raises(TypeError, match="can't be iterated"):
        list(x[0])
    with pytest.raises(TypeError, match="has no first axis"):
        len(x[0])


def test_to_add_in_place_gives_the_name_another_tensor():
    x = y = tapehead.tensor([1.0])
    x += 1
    assert (x.item(), y.item()) == (2, 1)
