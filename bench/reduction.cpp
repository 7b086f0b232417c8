// What the exchange of a step costs beside MPI_Allreduce of as many bytes. Each rank has one shard,
// so that both move the same: ranks - 1 times its share of the bytes out and in, twice.
//
//   mpirun -n RANKS bench_reduction exchange MEGABYTES ROUNDS [MATRIX]    as Team does it
//   mpirun -n RANKS bench_reduction allreduce MEGABYTES ROUNDS            by MPI's own function
//   mpirun -n RANKS bench_reduction answers MEGABYTES ROUNDS              a number to each other
//
// A matrix has so many elements, 1,048,576 unless told, about as many as one of GPT-2. Rank 0
// prints the seconds of the rounds as a list of JSON. bench/scaling.py calls both in turns.
#if __has_include(<mpi.h>)
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include "../nn/module.hpp"
#include "../parts/ranks/team.hpp"
#include "../train/watch/stopwatch.hpp"

#include <fmt/ranges.h>

#include <cstdio>
#include <map>

using namespace tapehead;

namespace {

Index matrix = 1 << 20;  // elements

/// Parameters of so many elements together, and no model.
struct Weights : Module {
  explicit Weights(Index elements) {
    for (Index first = 0; first < elements; first += matrix)
      parameters.emplace_back(Shape{std::min(matrix, elements - first)}, Init::constant(0), false);
  }
  Tensor forward(const Tensor& x, Pass&) const override { return x; }
  void visit(Visitor& visitor) override {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      visitor(fmt::format("{}", i), parameters[i]);
  }
  std::vector<Parameter> parameters;
};

void tell(std::vector<double> seconds) {
  seconds.erase(seconds.begin());  // its memory was new
  std::puts(fmt::format("[{:.6f}]", fmt::join(seconds, ", ")).c_str());
}

std::unique_ptr<Ranks> started() {
  std::unique_ptr<Ranks> ranks = launched_ranks(30);
  if (!ranks) throw UsageError("start two ranks or more by mpirun");
  return ranks;
}

void answers(Index, int rounds) {
  const std::unique_ptr<Ranks> ranks = started();
  const std::vector<std::size_t> counts(ranks->count(), 1);
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {
    const Stopwatch watch;
    joined(*ranks, {0.0}, counts);
    seconds.push_back(watch.seconds());
  }
  if (ranks->rank() == 0) tell(seconds);
}

/// Each rank ends up with the sum of what all have, its weights.
void exchange(Index elements, int rounds) {
  const std::unique_ptr<Ranks> ranks = started();
  Weights weights(elements);
  initialise(weights, 0);
  Team team(*ranks, weights, false);
  std::vector<Tensor> gradients;
  for (const Parameter& parameter : weights.parameters) gradients.push_back(ones(parameter.shape));
  std::vector<double> seconds, losses;
  for (int round = 0; round <= rounds; ++round) {
    joined(*ranks, {}, std::vector<std::size_t>(ranks->count()));  // all begin together
    const Stopwatch watch;
    team.expect(ranks->count());
    for (std::size_t i = 0; i < gradients.size(); ++i)
      team.leave(ranks->rank(), weights.parameters[i].value(), gradients[i]);
    team.leave(ranks->rank(), 0.0);
    const Gradients sum = team.sum({}, losses);
    for (Parameter* part : team.share().parameters()) part->set(sum.stored(part->value()));
    team.settle(true);
    seconds.push_back(watch.seconds());
  }
  const auto expected = static_cast<float>(ranks->count());
  for (const Parameter& parameter : weights.parameters)
    for (Index i = 0; i < parameter.shape.size(); ++i)
      if (parameter.value().data<float>()[i] != expected)
        throw Error("the sum is {}, and must be {}", parameter.value().data<float>()[i], expected);
  if (ranks->rank() == 0) tell(seconds);
}

void allreduce(Index elements, int rounds) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<float> gradients(elements, 1.0F);
  std::vector<float> sum(elements);
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const Stopwatch watch;
    MPI_Allreduce(gradients.data(), sum.data(), static_cast<int>(elements), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    seconds.push_back(watch.seconds());
  }
  if (rank == 0) tell(seconds);
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 4 || argc == 5 ? argv[1] : "";
  if (argc == 5) matrix = std::max(1, std::atoi(argv[4]));
  try {
    const std::map<std::string, void (*)(Index, int)> all = {
        {"exchange", exchange}, {"allreduce", allreduce}, {"answers", answers}};
    const auto found = all.find(what);
    if (found == all.end())
      throw UsageError("expected exchange, allreduce or answers, megabytes, rounds");
    found->second(std::max(1, std::atoi(argv[2])) * Index{1000000} / 4,
                  std::max(1, std::atoi(argv[3])));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_reduction: %s\n", error.what());
    return 1;
  }
}

#else
#include <cstdio>

int main() {
  std::fputs("bench_reduction: needs MPI, which wasn't found when it was built\n", stderr);
  return 1;
}
#endif
