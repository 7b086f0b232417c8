// x[...] with NumPy's semantics, composed of ops so that it has gradients: slices and integers use
// `slice`; integer arrays and masks use `gather_rows`.
#include "bindings.hpp"

#include <numeric>

namespace tapehead {
namespace {

using Ids = py::array_t<Index, py::array::c_style | py::array::forcecast>;

py::object numpy(const char* name) { return py::module_::import("numpy").attr(name); }

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) {
  throw py::index_error(fmt::format(text, std::forward<Args>(args)...));
}

/// Takes rows `ids` along an axis of x; the axes of ids replace that axis.
Tensor taken(const Tensor& x, int axis, const Tensor& ids) {
  if (axis == 0) return gather_rows(x, ids);
  Axes front(x.rank()), back;  // the permutation that moves `axis` to the front, and its inverse
  std::iota(front.begin(), front.end(), 0);
  std::rotate(front.begin(), front.begin() + axis, front.begin() + axis + 1);
  const Tensor y = gather_rows(permute(x, front), ids);  // shape: ids.shape + the other axes
  const int many = ids.rank();
  for (int i = 0; i < axis; ++i) back.push_back(many + i);
  for (int i = 0; i < many; ++i) back.push_back(i);
  for (int i = many + axis; i < y.rank(); ++i) back.push_back(i);
  return permute(y, back);
}

/// Copies a NumPy integer array to a tensor of ids.
Tensor ids_of(const Ids& array) {
  Tensor ids = Tensor::empty(Shape(array.shape(), array.shape() + array.ndim()), DType::i32);
  std::copy_n(array.data(), ids.size(), ids.mutable_data<std::int32_t>());
  return ids;
}

/// Converts a list, array or tensor used as an index to an array of integers or booleans.
py::array as_array(const Tensor& x, int axis, py::handle given) {
  py::object index = py::reinterpret_borrow<py::object>(given);
  if (const Tensor* ids = tensor_in(given)) {
    index = index.attr("numpy")();
    const int last = axis + ids->rank();
    const bool of_its_shape = ids->rank() > 0 && last <= x.rank() &&
                              ids->shape() == x.shape().slice(axis, last) && ids->size() > 0;
    if (of_its_shape && numpy("isin")(index, py::make_tuple(0, 1)).attr("all")().cast<bool>())
      refuse(
          "an index {} of only 0s and 1s is ambiguous: use x[i.numpy() == 1] for a mask, or "
          "x[i.numpy()] for positions",
          ids->shape());
  }
  const py::array array = numpy("asarray")(index).cast<py::array>();
  const char kind = array.dtype().kind();
  if (array.size() == 0 && py::isinstance<py::list>(given)) return Ids(array);
  if (kind == 'b' && array.ndim() == 0)
    refuse("a boolean can't be an index; a mask is an array of booleans with the sizes of x");
  if (kind != 'i' && kind != 'u' && kind != 'b')
    refuse("an index must be integers, slices, None, ..., integer or boolean arrays, got {}",
           kind == 'O' || kind == 'U' ? std::string(py::str(py::type::of(given).attr("__name__")))
                                      : std::string(py::str(array.dtype())));
  return array;
}

/// Integer arrays that index adjacent axes, one axis each, starting at axis `first`.
struct Gather {
  int first = -1;
  std::vector<Ids> arrays;

  /// Returns the elements of x that the arrays select: merges the indexed axes and takes rows.
  Tensor of(const Tensor& x) const {
    const int end = first + static_cast<int>(arrays.size());
    const Shape sizes = x.shape().slice(first, end);
    py::list all;
    for (const Ids& each : arrays) all.append(each);
    const py::list equal = numpy("broadcast_arrays")(*all);
    Ids ids(numpy("zeros_like")(equal[0]));
    for (int i = 0; i < sizes.rank(); ++i) {
      const Ids each(equal[i]);
      for (py::ssize_t at = 0; at < ids.size(); ++at)
        ids.mutable_data()[at] =
            ids.data()[at] * sizes[i] + from_front(each.data()[at], first + i, sizes[i]);
    }
    Shape joined = x.shape().slice(0, first);
    joined.push_back(sizes.size());
    for (int axis = end; axis < x.rank(); ++axis) joined.push_back(x.dim(axis));
    return taken(reshape(x, joined), first, ids_of(ids));
  }

 private:
  static Index from_front(Index i, int axis, Index size) {
    if (i < -size || i >= size)
      refuse("index {} is out of bounds for axis {} of size {}", i, axis, size);
    return i < 0 ? i + size : i;
  }
};

/// Applies an index to x part by part. Slices and integers are applied at once, an integer drops
/// its axis, None adds an axis, and arrays are applied last.
class Reader {
 public:
  explicit Reader(const Tensor& x) : x_(x), y_(x) {}

  void number(Index i) {
    const Index size = y_.dim(axis_), from_front = i < 0 ? i + size : i;
    if (from_front < 0 || from_front >= size)
      refuse("index {} is out of bounds for axis {} of size {}", i, axis_, size);
    if (gap_ && gather_.first > 0) refuse_gap();
    y_ = slice(y_, axis_++, from_front, from_front + 1);
    number_ = true;
  }
  void range(const py::slice& given) {
    const Index size = y_.dim(axis_);
    py::ssize_t start = 0, stop = 0, step = 0, count = 0;
    if (!given.compute(size, &start, &stop, &step, &count)) throw py::error_already_set();
    if (step == 1 && count < size) y_ = slice(y_, axis_, start, start + count);
    if (step != 1) {
      Ids ids(count);
      for (py::ssize_t i = 0; i < count; ++i) ids.mutable_data()[i] = start + i * step;
      y_ = taken(y_, axis_, ids_of(ids));
    }
    keep(count);
  }
  void whole(int axes) {
    for (; axes > 0; --axes) keep(y_.dim(axis_));
  }
  void new_axis() {
    keep_apart();
    shape_.push_back(1);
  }
  void array(const py::array& given) {
    if (gap_) refuse_gap();
    if (gather_.arrays.empty()) gather_.first = shape_.rank();
    if (given.dtype().kind() != 'b') {
      gather_.arrays.emplace_back(given);
      shape_.push_back(y_.dim(axis_++));
      return;
    }
    for (py::ssize_t i = 0; i < given.ndim(); ++i)
      if (given.shape(i) != y_.dim(axis_ + static_cast<int>(i)))
        refuse("a mask must have the sizes of the axes that it indexes; it is {}, the tensor {}",
               Shape(given.shape(), given.shape() + given.ndim()), x_.shape());
    for (const py::handle places : given.attr("nonzero")()) {
      gather_.arrays.emplace_back(py::reinterpret_borrow<py::object>(places));
      shape_.push_back(y_.dim(axis_++));
    }
  }

  Tensor read() {
    whole(y_.rank() - axis_);
    if (y_.shape() != shape_) y_ = reshape(y_, shape_);
    return gather_.arrays.empty() ? y_ : gather_.of(y_);
  }
  int left() const { return y_.rank() - axis_; }
  int axis() const { return axis_; }

 private:
  void keep(Index size) {
    keep_apart();
    shape_.push_back(size);
    ++axis_;
  }
  /// Notes a slice or None, which must not separate arrays or integers from arrays: NumPy would
  /// move the arrays' axes to the front.
  void keep_apart() { gap_ = gap_ || number_ || !gather_.arrays.empty(); }
  [[noreturn]] static void refuse_gap() {
    refuse(
        "arrays and integers in an index must be adjacent, without slices or None between them; "
        "use "
        "x[0][:, ids]");
  }

  const Tensor x_;
  Tensor y_;
  int axis_ = 0;  // axis of y_ that the next part of the index applies to
  Shape shape_;   // shape of y_ after `read`, before arrays are applied
  Gather gather_;
  bool number_ = false, gap_ = false;  // gap_: a slice or None followed an integer or an array
};

bool is_number(py::handle part) {
  if (py::isinstance<py::array>(part))
    return false;  // a rank-0 array is an index array, though Python accepts it as an int
  const Tensor* const x = tensor_in(part);
  return x ? x->rank() == 0 : !PyBool_Check(part.ptr()) && PyIndex_Check(part.ptr()) != 0;
}

/// Returns the number of the tensor's axes that one part of an index applies to.
int axes_of(py::handle part) {
  if (part.is_none()) return 0;
  if (PySlice_Check(part.ptr()) || is_number(part) || tensor_in(part)) return 1;
  const py::array array = numpy("asarray")(part).cast<py::array>();
  return array.dtype().kind() == 'b' ? static_cast<int>(array.ndim()) : 1;
}

}  // namespace

Tensor indexed(const Tensor& x, py::handle index) {
  const py::tuple parts =
      PyTuple_Check(index.ptr()) ? py::reinterpret_borrow<py::tuple>(index) : py::make_tuple(index);
  int taken_axes = 0, dots = 0;
  for (const py::handle part : parts)
    part.is(py::ellipsis()) ? ++dots : taken_axes += axes_of(part);
  if (dots > 1) refuse("an index can have only one ...");
  if (taken_axes > x.rank()) refuse("too many indices ({}) for a tensor {}", taken_axes, x.shape());
  Reader reader(x);
  for (const py::handle part : parts) {
    if (part.is(py::ellipsis()))
      reader.whole(x.rank() - taken_axes);
    else if (part.is_none())
      reader.new_axis();
    else if (PySlice_Check(part.ptr()))
      reader.range(py::reinterpret_borrow<py::slice>(part));
    else if (is_number(part))
      reader.number(part.cast<Index>());
    else
      reader.array(as_array(x, reader.axis(), part));
  }
  return reader.read();
}

}  // namespace tapehead
