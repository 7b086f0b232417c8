#include "parameter.hpp"
#include "substitution.hpp"
#include "tape_stack.hpp"

namespace tapehead {

Parameter::operator const Tensor&() const {
  if (shared_) return *shared_;
  if (const Tensor* other = Substitution::of(*this)) return *other;
  if (!present) return value_;
  const Tensor& x = value();
  if (trainable) TapeStack::watch_by_all(x, anchor.lease());
  return x;
}

const Tensor& Parameter::value() const {
  if (shared_) return shared_->value();
  if (!value_)
    throw TapeError(
        "a parameter of shape {} has no value: call initialise(model, seed) first; if its model "
        "was moved, use the new object",
        shape);
  return value_;
}

void Parameter::share(Parameter& other) {
  Parameter& owner = other.owner();
  if (shape != owner.shape || !present || !owner.present)
    throw ShapeError("parameter: share: shapes {} and {} differ", shape, owner.shape);
  check_unwatched();
  if (&owner != this) shared_ = &owner, value_ = {};
}

void Parameter::initialise(const RandomKey& key, DType type) {
  check_unwatched();
  dtype = type;
  switch (init.kind) {
    case Init::Kind::constant:
      value_ = full(shape, init.value, type);
      break;
    case Init::Kind::normal:
      value_ = random_normal(shape, key, type) * init.value;
      break;
    case Init::Kind::uniform:
      value_ = random_uniform(shape, -init.value, init.value, key, type);
      break;
  }
}

void Parameter::set(Tensor value) {
  check_unwatched();
  check_present("parameter: set", value);
  if (value.shape() != shape)
    throw ShapeError("parameter '{}' is {}, but the new value is {}", path, shape, value.shape());
  if (value.dtype() != dtype)
    throw TypeError(
        "parameter '{}' is {}, but the new value is {}; convert it with cast, or the model "
        "with convert",
        path, dtype, value.dtype());
  value_ = std::move(value);
}

void Parameter::check_unwatched() const {
  if (shared_)
    throw TapeError("parameter '{}' shares the value of '{}'; change that one", path,
                    shared_->path);
  if (anchor.is_leased())
    throw TapeError(
        "parameter '{}' is watched by a tape; run backward or destroy the tape before you "
        "change the parameter",
        path);
}

/// Gives the value a new tensor id, so that gradients of the old value don't apply to the new one.
/// Copies the elements only if they are shared.
void Parameter::own_value() {
  check_unwatched();
  const Tensor old = std::exchange(value_, {});
  const bool shared = old.shared();
  value_ = shared ? Tensor::empty(old.shape(), old.dtype()) : old.detached();
  if (shared) old.bytes().copy(value_.mutable_bytes(), old.bytes().size());
}

}  // namespace tapehead
