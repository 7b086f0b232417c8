#include "option_rows.hpp"

namespace tapehead {

OptionRows& option_rows() {
  static OptionRows all;
  return all;
}

CommandRows::CommandRows(const std::vector<CommandRow>& rows, void (*prepare)()) {
  auto& all = option_rows().commands;
  all.insert(all.end(), rows.begin(), rows.end());
  if (prepare) option_rows().preparations.push_back(prepare);
}

TrainRows::TrainRows(const std::vector<TrainRow>& rows,
                     const std::map<std::string, std::string>& largest) {
  auto& all = option_rows().train;
  all.insert(all.end(), rows.begin(), rows.end());
  option_rows().largest.insert(largest.begin(), largest.end());
}

TestedElsewhere::TestedElsewhere(const std::map<std::string, std::string>& options,
                                 const std::map<std::string, std::string>& commands) {
  option_rows().elsewhere.insert(options.begin(), options.end());
  option_rows().commands_elsewhere.insert(commands.begin(), commands.end());
}

std::vector<Option> a_flag(const std::string& name) {
  return own_options([=](Fields& f) {
    bool flag = false;
    f(name.c_str(), flag, "");
  });
}

}  // namespace tapehead
