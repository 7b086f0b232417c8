#include "../process.hpp"
#include "../../error.hpp"
#include "errors.hpp"

#include <array>
#include <system_error>

namespace tapehead::system {
namespace {

/// Quotes a word for a Windows command line. A backslash is special only before a quote.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  std::size_t slashes = 0;
  for (const char c : word) {
    if (c == '"') text.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    text += c;
  }
  return text.append(slashes, '\\') + '"';
}

[[noreturn]] void fail(const std::string& program) {
  throw FileError("{}: {}", program,
                  std::generic_category().message(error_number(::GetLastError())));
}

/// Converts an exit code to the status that a POSIX shell reports: an access violation becomes 128
/// + signal 11.
int status_of(DWORD code) {
  return code == EXCEPTION_ACCESS_VIOLATION ? 128 + 11 : static_cast<int>(code & 0xff);
}

}  // namespace

bool has_program(const std::string& name) {
  return ::SearchPathA(nullptr, name.c_str(), ".exe", 0, nullptr, nullptr) != 0;
}

struct Process::State {
  HANDLE reads = nullptr, process = nullptr, job = nullptr;
  DWORD id = 0;
  ~State() {
    for (const HANDLE each : {reads, process, job})
      if (each) ::CloseHandle(each);
  }
};

Process::Process(std::vector<std::string> words, Captured captured)
    : state_(std::make_unique<State>()) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  HANDLE writes = nullptr;
  if (!::CreatePipe(&state_->reads, &writes, &inherited, 0)) fail(words[0]);
  ::SetHandleInformation(state_->reads, HANDLE_FLAG_INHERIT, 0);
  STARTUPINFOA files{};
  files.cb = sizeof files;
  files.dwFlags = STARTF_USESTDHANDLES;
  files.hStdError = writes;
  files.hStdOutput = captured == Captured::all ? writes : ::GetStdHandle(STD_OUTPUT_HANDLE);
  // The job will contain the program and all processes that it starts, because the program starts
  // suspended and runs only after it is assigned to the job.
  state_->job = ::CreateJobObjectA(nullptr, nullptr);
  PROCESS_INFORMATION started{};
  const bool done = ::CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE,
                                     CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP, nullptr, nullptr,
                                     &files, &started) != 0;
  const DWORD reason = ::GetLastError();
  ::CloseHandle(writes);
  ::SetLastError(reason);
  if (!done) fail(words[0]);
  state_->process = started.hProcess;
  state_->id = started.dwProcessId;
  ::AssignProcessToJobObject(state_->job, started.hProcess);
  ::ResumeThread(started.hThread);
  ::CloseHandle(started.hThread);
}

Process::~Process() = default;

std::string Process::read(int milliseconds) {
  constexpr int look = 5;
  std::string output;
  DWORD there = 0;
  for (int waited = 0;; waited += look) {
    if (!::PeekNamedPipe(state_->reads, nullptr, 0, nullptr, &there, nullptr)) break;
    if (there > 0 || waited >= milliseconds) break;
    ::Sleep(look);
  }
  output.resize(there);
  DWORD count = 0;
  if (there > 0) ::ReadFile(state_->reads, output.data(), there, &count, nullptr);
  output.resize(count);
  return output;
}

bool Process::has_ended() { return ::WaitForSingleObject(state_->process, 0) == WAIT_OBJECT_0; }

void Process::request_stop() { ::GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, state_->id); }

void Process::end() { ::TerminateJobObject(state_->job, 128 + 9); }

int Process::status() {
  ::WaitForSingleObject(state_->process, INFINITE);
  DWORD code = 0;
  ::GetExitCodeProcess(state_->process, &code);
  return status_of(code);
}

const bool Fork::possible = false;
Fork::Fork(const std::function<void()>&) : id_(0) {
  throw Error("fork isn't available on Windows");
}
bool Fork::has_ended(int&) { return true; }
void Fork::end(bool) {}

void limit_resources(double, double) {}

void* load_function(const std::string& library, const std::string&) {
  throw Error("{}: loading libraries isn't supported on Windows", library);
}

}  // namespace tapehead::system
