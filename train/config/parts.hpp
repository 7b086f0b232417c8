#pragma once
// Parts of a model or of training, chosen by an option such as `--norm rms` or `--optimizer lion`.
#include "names.hpp"
#include "option.hpp"

#include <memory>

namespace tapehead {

/// Old and new names of options: {"beta1", "momentum"}.
using Renamed = std::vector<std::pair<std::string, std::string>>;

struct PartInfo {
  std::string name;     ///< the value of the option
  std::string summary;  ///< one-line description
  /// The common options that the part reads. An option that some part of a kind reads is an error
  /// if the chosen part doesn't read it.
  std::vector<std::string> reads;
  std::vector<Option>
      options;  ///< options that the part declares; other parts of its kind may declare the same

  Renamed renamed = {};  ///< options that the part has renamed

  std::vector<std::string> all_read() const;  ///< names of read and declared options
  bool has(const std::string& option) const;  ///< returns whether all_read() contains `option`
};

/// A part and its factory.
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

/// The parts of one kind in registration order.
class PartList {
 public:
  PartList(const char* option, std::string TrainConfig::*chosen, const char* alias = "")
      : option_(option), alias_(alias), chosen_(chosen) {}

  const char* option() const { return option_; }  ///< option that chooses a part, without dashes
  const char* alias() const { return alias_; }    ///< second name of this option; empty: none
  /// Member of TrainConfig with the name of the chosen part.
  std::string TrainConfig::*field() const { return chosen_; }
  const std::vector<std::shared_ptr<const PartInfo>>& all() const { return all_; }
  std::vector<std::string> names() const;
  /// Throws UsageError that suggests the nearest name.
  const PartInfo& find(const std::string& name) const;
  const PartInfo& chosen(const TrainConfig& config) const { return find(config.*chosen_); }

 protected:
  void add_info(std::shared_ptr<const PartInfo> part);  ///< throws ValueError for a duplicate name

 private:
  const char *option_, *alias_;
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
