// The sessions of a run: which code trained it, when, where, and by which command.
#include "../../train/runs/provenance.hpp"
#include "../../core/numerics.hpp"
#include "../../core/system/machine.hpp"
#include "../../train/files/files.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/program_source.hpp"
#include "../shared/folders.hpp"

#include <regex>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(provenance, Elsewhere)

namespace {

/// The source of this program during this object's lifetime.
struct Committed {
  explicit Committed(const char* commit) { ProgramSource("gated", commit); }
  ~Committed() { ProgramSource("", ""); }
};

Registry own_registry() {
  Registry registry;
  registry.program = "mine";
  registry.command = "./mine train copy --name 'a b'";
  return registry;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_session_has_these_members) {
  const Committed committed("12ab-dirty");
  Json session = begin_session(own_registry());
  const std::regex time("20\\d\\d-[01]\\d-[0-3]\\dT[0-2]\\d:[0-5]\\d:[0-6]\\dZ");
  BOOST_TEST(std::regex_match(session["started"].string(), time), session["started"].string());
  session["started"] = "2026-11-29T01:02:03Z";
  std::filesystem::create_directory("run");
  append_session("run", session, 20);
  BOOST_TEST(
      read_file("run/provenance.jsonl") ==
      fmt::format("{{\"step\":20,\"started\":\"2026-11-29T01:02:03Z\",\"version\":\"{}\","
                  "\"numerics\":1,\"compiler\":\"{}\",\"program\":\"mine\",\"project\":\"gated\","
                  "\"commit\":\"12ab-dirty\","
                  "\"command\":\"./mine train copy --name 'a b'\",\"host\":\"{}\"}}\n",
                  TAPEHEAD_VERSION, compiler_name(), system::host_name()));
  session["host"] = "h";
  session["step"] = 20;
  BOOST_TEST(session_text(session) ==
             fmt::format("step 20: 2026-11-29T01:02:03Z on h, version {}, numerics 1, {}, commit "
                         "12ab-dirty of gated: ./mine train copy --name 'a b'",
                         TAPEHEAD_VERSION, compiler_name()));
}

BOOST_AUTO_TEST_CASE(unknown_members_are_left_out) {
  const Json session = begin_session(Registry());
  for (const char* name : {"project", "commit", "command"})
    BOOST_TEST(session[name].is_null(), name);
  BOOST_TEST(session["program"].string() == "tapehead");
}

BOOST_AUTO_TEST_CASE(the_compiler_has_one_line) {
  const std::string name = compiler_name();
  BOOST_TEST(std::regex_search(name, std::regex("^(GCC|Clang) \\d+\\.\\d+")), name);
  BOOST_TEST(!has(name, "  "), name);
  BOOST_TEST(name.back() != ' ');
}

BOOST_AUTO_TEST_CASE(damaged_lines_are_skipped) {
  BOOST_TEST(read_sessions("none").empty());
  std::filesystem::create_directory("run");
  write_file("run/provenance.jsonl", "{\"step\":0}\nno line\n[]\n{\"step\":\"1\"}\n{\"step\":3");
  BOOST_TEST(read_sessions("run").size() == 1U);
  append_session("run", {{"host", "h"}}, 4);
  BOOST_TEST(read_file("run/provenance.jsonl") == "{\"step\":0}\n{\"step\":4,\"host\":\"h\"}\n");
}

BOOST_AUTO_TEST_CASE(a_failed_write_is_reported) {
  std::filesystem::create_directory("run");
  const ReadOnlyFolder closed("run");
  EXPECT_ERROR(WriteError, append_session("run", {{"host", "h"}}, 4),
               "run/provenance.jsonl: Permission denied");
}

BOOST_AUTO_TEST_CASE(changed_code_is_described) {
  const std::string version = TAPEHEAD_VERSION, compiler = compiler_name();
  BOOST_TEST(code_changes({{"version", version}, {"compiler", compiler}}) == "");
  BOOST_TEST(code_changes({{"step", 3}}) == "");
  BOOST_TEST(code_changes({{"version", "0.1.0"}}) ==
             "version 0.1.0, but this is version " + version);
  BOOST_TEST(code_changes({{"version", "0.1.0"}, {"compiler", "GCC 1\n"}}) ==
             "version 0.1.0, GCC 1↵, but this is version " + version + ", " + compiler);
  BOOST_TEST(code_changes({{"version", "9"}, {"numerics", numerics + 1}}) ==
             fmt::format("version 9, numerics {}, but this is version {}, numerics {}",
                         numerics + 1, version, numerics));
  BOOST_TEST(code_changes({{"commit", "1"}}) == "commit 1, but this is an unknown commit");
  const Committed committed("2");
  BOOST_TEST(code_changes({{"commit", "1"}}) == "commit 1, but this is commit 2");
  BOOST_TEST(code_changes({{"commit", "2"}, {"host", "another"}}) == "");
}

BOOST_AUTO_TEST_CASE(numerics_of_sessions) {
  BOOST_TEST(numerics_of({{"started", "2026-11-29T01:02:03Z"}, {"numerics", 3}}).value() == 3);
  BOOST_TEST(numerics_of({{"started", "2026-11-29T01:02:03Z"}}).value() == 1);
  BOOST_TEST(!numerics_of({{"version", "0.1.0"}}));
  std::filesystem::create_directory("run");
  BOOST_TEST(!numerics_at("run", 5));
  write_file("run/provenance.jsonl", "{\"step\":0,\"numerics\":2}\n{\"step\":4,\"numerics\":3}\n");
  BOOST_TEST(numerics_at("run", 5).value() == 3);
  BOOST_TEST(numerics_at("run", 4).value() == 2);
  BOOST_TEST(numerics_at("run", 0).value() == 2);
}

BOOST_AUTO_TEST_CASE(equal_numerics_have_equal_results) {
  BOOST_TEST(effect_of_changes({{"numerics", numerics}, {"version", "0.1.0"}}) ==
             fmt::format("both have numerics {}", numerics));
  BOOST_TEST(effect_of_changes({{"numerics", numerics + 1}}) == "results may differ");
  BOOST_TEST(effect_of_changes({{"version", "0.1.0"}}) == "results may differ");
  BOOST_TEST(effect_of_changes({{"numerics", numerics}, {"commit", "1"}}) == "results may differ");
}

BOOST_AUTO_TEST_SUITE_END()
