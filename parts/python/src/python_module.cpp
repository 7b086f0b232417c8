#include "python_module.hpp"

#include <set>
#include <unordered_set>

namespace tapehead {
namespace {

/// Returns the Python object of a module.
py::object object_of(const Module& module) {
  return py::cast(&module, py::return_value_policy::reference);
}

/// A module, list or dict in Python that a walk over a module's parts has entered but not left. The
/// walk, which `walk` identifies, doesn't enter the object again before it has left it.
struct VisitedObject {
  const Visitor* walk;
  PyObject* object;
};
std::vector<VisitedObject>& visit_stack() {
  static thread_local std::vector<VisitedObject> all;
  return all;
}

/// Calls f(), which visits the parts of `object`, unless the walk is already in that object.
template <class F>
void walk_into(const Visitor& walk, py::handle object, const F& f) {
  constexpr std::size_t deepest = 1000;
  std::vector<VisitedObject>& all = visit_stack();
  const auto here = [&](const VisitedObject& each) {
    return each.walk == &walk && each.object == object.ptr();
  };
  if (any_of(all, here)) return;
  if (all.size() == deepest)
    throw ValueError("modules: nested more than {} deep; put them in one list", deepest);
  all.push_back({&walk, object.ptr()});
  try {
    f();
  } catch (...) {
    all.pop_back();
    throw;
  }
  all.pop_back();
}

void visit_value(Visitor& v, const std::string& name, const py::object& value);

/// Visits the values of a dict. Copies the items first, since a visitor can change the dict.
void visit_dict(Visitor& v, const std::string& start, const py::dict& all) {
  for (const py::handle item : py::list(all.attr("items")())) {
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    visit_value(v, start + std::string(py::str(py::object(pair[0]))), pair[1]);
  }
}

void visit_value(Visitor& v, const std::string& name, const py::object& value) {
  if (py::isinstance<Parameter>(value)) return v(name, value.cast<Parameter&>());
  if (py::isinstance<Module>(value)) return v(name, value.cast<Module&>());
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    walk_into(v, value, [&] {
      std::size_t i = 0;
      for (const py::handle each : py::list(value))
        visit_value(v, fmt::format("{}.{}", name, i++), py::reinterpret_borrow<py::object>(each));
    });
  if (py::isinstance<py::dict>(value))
    walk_into(v, value, [&] { visit_dict(v, name + ".", value); });
}

class Namer : public Visitor {
 public:
  explicit Namer(Module& root) { named(root, ""); }

 private:
  void visit(const std::string&, Parameter& parameter) override {
    if (seen_.insert(&parameter).second) parameter.path = path();
  }
  void enter(const std::string&, Module& module) override { named(module, path()); }
  static void named(Module& module, const std::string& path) {
    static std::set<std::string> names;  // static, since tapes have pointers to them
    module.path = names.insert(path).first->c_str();
    if (auto* of_python = dynamic_cast<PythonModule*>(&module)) of_python->named = true;
  }

  std::unordered_set<const Parameter*> seen_;
};

/// Returns the existing Python object of x; null if there is none.
template <class T>
py::object existing(const T& x) {
  const py::detail::type_info* const type = py::detail::get_type_info(typeid(T));
  return py::reinterpret_borrow<py::object>(py::detail::get_object_handle(&x, type));
}

constexpr const char* owner_attribute = "_of";

class Collector : public Visitor {
 public:
  explicit Collector(Module& root) {
    const py::object object = object_of(root);
    if (const py::object of = owner_of(object))
      owners_.push_back({of[py::int_(0)], of[py::int_(1)].cast<std::string>()});
    else
      owners_.push_back({object, ""});
  }
  std::vector<ModulePart> parts;

 private:
  /// The nearest enclosing layer that owns its parts. The root is the module where the walk starts.
  struct Owner {
    py::object object;
    std::string path;       ///< path from the layer to the root if the root is a part of the layer
    std::size_t above = 0;  ///< length of the path, with its dot, from the root to the layer
  };

  void visit(const std::string& name, Parameter& parameter) override {
    const py::object object = object_for(parameter.owner());  // one object for a shared value
    parts.push_back({depth(), path(), name, "", object, object.cast<std::shared_ptr<Parameter>>()});
  }
  void enter(const std::string& name, Module& module) override {
    const py::object object = object_for(module);
    parts.push_back({depth(), path(), name, python_type_name(module), object, nullptr});
    owners_.push_back(owner_of(object) ? owners_.back() : Owner{object, "", path().size() + 1});
  }
  void leave(Module&) override { owners_.pop_back(); }

  int depth() const { return static_cast<int>(owners_.size()) - 1; }

  /// Returns the Python object of x, creating it if needed.
  template <class T>
  py::object object_for(T& part) {
    if (py::object known = existing(part)) return known;
    const Owner& owner = owners_.back();
    const std::string inside = path().substr(owner.above);
    const std::shared_ptr<Module> layer = owner.object.cast<std::shared_ptr<Module>>();
    py::object made = py::cast(std::shared_ptr<T>(layer, &part));
    const py::object of =
        py::make_tuple(owner.object, owner.path.empty() ? inside : owner.path + "." + inside);
    // Bypasses __setattr__ of Module and Parameter, which would reject or reinterpret the name.
    if (PyObject_GenericSetAttr(made.ptr(), py::str(owner_attribute).ptr(), of.ptr()) != 0)
      throw py::error_already_set();
    return made;
  }
  /// Returns (layer, path in the layer) for a part of a built-in layer; null for other objects.
  static py::object owner_of(const py::object& object) {
    const py::dict attributes = object.attr("__dict__");
    return attributes.contains(owner_attribute) ? py::object(attributes[owner_attribute])
                                                : py::object();
  }

  std::vector<Owner> owners_;  // of the modules from the root to the current one
};

}  // namespace

Pass*& running_pass() {
  static thread_local Pass* pass = nullptr;
  return pass;
}

Tensor PythonModule::forward(const Tensor& x, Pass& pass) const {
  const py::gil_scoped_acquire acquired;
  const RunningPassScope running(pass);
  return to_tensor_beside(object_of(*this).attr("forward")(x), x.dtype());
}

void PythonModule::visit(Visitor& v) {
  const py::gil_scoped_acquire acquired;
  const py::object self = object_of(*this);
  walk_into(v, self,
            [&] { visit_dict(v, "", py::getattr(self, "__dict__", py::dict()).cast<py::dict>()); });
}

std::vector<ModulePart> parts_of(const std::shared_ptr<Module>& module) {
  Collector collector(*module);
  module->visit(collector);
  return std::move(collector.parts);
}

void name_parts(Module& module) {
  Namer namer(module);
  module.visit(namer);
}

std::string python_type_name(const Module& module) {
  if (dynamic_cast<const PythonModule*>(&module))
    return std::string(py::str(py::type::of(object_of(module)).attr("__name__")));
  return cpp_type(module);
}

std::vector<ModulePart> named_parameters(const std::shared_ptr<Module>& module) {
  name_parts(*module);
  std::vector<ModulePart> all;
  std::unordered_set<const Parameter*> seen;
  for (ModulePart& part : parts_of(module))
    if (part.parameter && seen.insert(part.parameter.get()).second) all.push_back(std::move(part));
  return all;
}

DType dtype_of_weights(const Module& module) {
  std::optional<DType> found;
  walk(module, [&](const std::string&, const Parameter& p) {
    if (!found && (p.dtype == DType::f32 || p.dtype == DType::f64)) found = p.dtype;
  });
  return found.value_or(DType::f32);
}

}  // namespace tapehead
