#include "stream.hpp"
#include "generated.hpp"
#include "output.hpp"

namespace tapehead {

void Stream::add(int token) {
  waiting_.push_back(token);
  std::string bytes;
  for (int each : waiting_) bytes += task_.bytes_of(each);
  if (!ends_within_character(bytes)) write();
}

void Stream::end() {
  if (!waiting_.empty()) write();
}

void Stream::write() {
  // The text that they add to the token before them: there may be something between them.
  std::vector<int> all = last_;
  const std::size_t known = task_.show(all).size();
  all.insert(all.end(), waiting_.begin(), waiting_.end());
  write_output(harmless(task_.show(all).substr(known), terminal_));
  flush_output();
  last_ = {all.back()};
  waiting_.clear();
}

}  // namespace tapehead
