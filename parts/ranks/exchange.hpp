#pragma once
// Ranks that send each other gradients.
#include "../../train/step/ranks.hpp"
#include "connection.hpp"

namespace tapehead {

class ConnectedRanks : public Ranks {
 public:
  /// With `rounds`, f32 gradients are rounded to bf16 when they are sent. Gradients that stay on
  /// their rank are rounded, too, so that the bits are the same for any number of ranks.
  ConnectedRanks(std::shared_ptr<Connection> connection, bool rounds)
      : connection_(std::move(connection)), rounds_(rounds) {}

  int rank() const override { return connection_->rank(); }
  int count() const override { return connection_->count(); }
  Gradients all_reduce(const std::vector<Tensor>& parameters, const Gradients& before,
                       const std::vector<Gradients>& shards, std::vector<double>& losses) override;
  void broadcast(void* data, std::size_t bytes) override {
    tapehead::broadcast(*connection_, data, bytes);
  }
  bool any(bool mine) override;

 private:
  /// The gradient of a piece, as it is sent; 0 bytes if there is none.
  struct WireGradient {
    Tensor gradient = {};
    std::size_t bytes = 0;
  };
  WireGradient wire_gradient(const Gradients& gradients, const Tensor& parameter, Index first,
                             Index size) const;
  void share_losses(std::vector<double>& losses);

  const std::shared_ptr<Connection> connection_;
  const bool rounds_;
};

/// Consecutive elements of a parameter, whose gradients one rank adds.
struct Piece {
  std::size_t parameter;  ///< its index
  Index first, size;
  int owner;
};

/// Cuts the elements of all parameters, in their order, into equal parts, one for each rank.
std::vector<Piece> split_parameters(const std::vector<Tensor>& parameters, int ranks);

}  // namespace tapehead
