#include "message.hpp"
#include "../../core/error.hpp"
#include "strings.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace tapehead {

void message(const std::string& line) noexcept {
  try {
    std::fputs((visible(line) + '\n').c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
  }
}

namespace {

std::terminate_handler before = nullptr;

[[noreturn]] void report_and_exit() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    message(error.what());
    std::fflush(nullptr);
    std::_Exit(2);
  } catch (...) {  // other types are handled below
  }
  if (before) before();
  std::abort();
}

}  // namespace

void report_uncaught_errors() {
  const std::terminate_handler now = std::set_terminate(report_and_exit);
  if (now != report_and_exit) before = now;
}

}  // namespace tapehead
