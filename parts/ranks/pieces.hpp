#pragma once
// Which rank updates which weights.
#include "../../nn/module.hpp"

namespace tapehead {

/// Elements of a parameter that one rank updates: it alone has what the optimizer keeps of them.
struct Piece {
  std::size_t parameter;  ///< its number in the model's list
  Index first, end;
  int owner;

  Index size() const { return end - first; }
};

/// Shares out the parameters that are trained, as evenly as can be, in their order. Those that an
/// optimizer may treat as matrices stay whole; others are cut between blocks of the norm.
std::vector<Piece> cut(const std::vector<Parameter*>& all, int ranks);

/// The pieces of one rank as a module, for whose parameters an optimizer is made. Whole ones are
/// the model's own; of the others it has copies.
class Share : public Module {
 public:
  Share(const std::vector<Parameter*>& all, const std::vector<Piece>& pieces, int rank);

  void visit(Visitor& visitor) override;
  Tensor forward(const Tensor& x, Pass&) const override { return x; }

  /// One for each piece.
  const std::vector<Parameter*>& parameters() const { return parameters_; }
  /// Copies the model's weights into the copies.
  void take();
  /// Copies them back.
  void give();

 private:
  struct Copy {
    Parameter* whole;
    Index first;
    std::unique_ptr<Parameter> part;
  };
  std::vector<Parameter*> parameters_;
  std::vector<Copy> copies_;
};

}  // namespace tapehead
