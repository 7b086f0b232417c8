// A browser can't start programs.
#include "../process.hpp"
#include "../../error.hpp"

namespace tapehead::system {

bool has_program(const std::string&) { return false; }

struct Process::State {};

Process::Process(std::vector<std::string> words, Captured) {
  throw FileError("{}: can't start programs in a browser", words[0]);
}
Process::~Process() = default;
std::string Process::read(int) { return ""; }
bool Process::has_ended() { return true; }
void Process::request_stop() {}
void Process::end() {}
int Process::status() { return 0; }

const bool Fork::possible = false;
Fork::Fork(const std::function<void()>&) : id_(0) {
  throw Error("can't start a process in a browser");
}
bool Fork::has_ended(int&) { return true; }
void Fork::end(bool) {}

void limit_resources(double, double) {}

void* load_function(const std::string& library, const std::string&) {
  throw Error("{}: can't load libraries in a browser", library);
}

}  // namespace tapehead::system
