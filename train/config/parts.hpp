#pragma once
// Parts of a model or of training that an option names, as in `--norm rms` or `--optimizer lion`.
#include "names.hpp"
#include "option.hpp"

#include <memory>

namespace tapehead {

/// Older names of options, and what they are now: {"beta1", "momentum"}.
using Renamed = std::vector<std::pair<std::string, std::string>>;

struct PartInfo {
  std::string name;     ///< the value of the option
  std::string summary;  ///< what it is, in a few words
  /// Of the options that every run has, those that it reads. An option that some part of a kind
  /// reads is refused where the chosen one doesn't.
  std::vector<std::string> reads;
  std::vector<Option> options;  ///< its own; other parts of its kind may have the same

  Renamed renamed = {};  ///< of its options

  std::vector<std::string> all_read() const;  ///< the names of both
  bool has(const std::string& option) const;  ///< whether one of these is `option`
};

/// A part, and what makes it.
template <class Make>
struct Part : PartInfo {
  Part(std::string name_, std::string summary_, Make make_, std::vector<std::string> reads_ = {},
       std::vector<Option> options_ = {})
      : PartInfo{std::move(name_), std::move(summary_), std::move(reads_), std::move(options_)},
        make(std::move(make_)) {}
  Part(std::string name_, std::string summary_, Make make_, std::vector<Option> options_)
      : Part(std::move(name_), std::move(summary_), std::move(make_), {}, std::move(options_)) {}

  Make make;
};

/// The parts of one kind, in the order in which they were added.
class PartList {
 public:
  PartList(const char* option, std::string TrainConfig::*chosen)
      : option_(option), chosen_(chosen) {}

  const char* option() const { return option_; }  ///< the one that names them, without dashes
  /// Where a configuration has the name of the chosen one.
  std::string TrainConfig::*field() const { return chosen_; }
  const std::vector<std::shared_ptr<const PartInfo>>& all() const { return all_; }
  std::vector<std::string> names() const;
  /// Throws UsageError that names the nearest.
  const PartInfo& find(const std::string& name) const;
  const PartInfo& chosen(const TrainConfig& config) const { return find(config.*chosen_); }

 protected:
  void add_info(std::shared_ptr<const PartInfo> part);  ///< throws ValueError if the name is taken

 private:
  const char* option_;
  std::string TrainConfig::*chosen_;
  std::vector<std::shared_ptr<const PartInfo>> all_;
};

template <class Make>
class Parts : public PartList {
 public:
  using PartList::PartList;
  void add(Part<Make> part) { add_info(std::make_shared<const Part<Make>>(std::move(part))); }
  const Make& make(const std::string& name) const {
    return static_cast<const Part<Make>&>(find(name)).make;
  }
};

}  // namespace tapehead
