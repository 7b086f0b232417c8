#pragma once
// Gradient all-reduce between ranks.
#include "../../train/step/ranks.hpp"
#include "connection.hpp"

namespace tapehead {

/// The ranks of a job that exchange gradients over a Connection.
class ConnectedRanks : public Ranks {
 public:
  /// With `rounds`, sends f32 gradients rounded to bf16. Also rounds gradients that aren't sent, so
  /// that results are bitwise identical for any number of ranks.
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
  /// The gradient of a piece in the format that is sent; 0 bytes if the piece has no gradient.
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

/// Consecutive elements of a parameter; the rank `owner` sums their gradients.
struct Piece {
  std::size_t parameter;  ///< index of the parameter
  Index first, size;
  int owner;
};

/// Splits the elements of all parameters into pieces, so that each rank owns the same number of
/// consecutive elements.
std::vector<Piece> split_parameters(const std::vector<Tensor>& parameters, int ranks);

}  // namespace tapehead
