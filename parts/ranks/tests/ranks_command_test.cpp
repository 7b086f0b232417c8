// Tests `train` under mpirun, if the build has MPI, and `launch`.
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#ifdef __linux__
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(ranks_command, Elsewhere)

namespace {

/// Lets mpirun run as root and with more ranks than processors. Leak detection is off because MPI
/// never frees some memory.
constexpr const char* environment =
    "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none ";

constexpr const char* small =
    "train copy --length 6 --symbols 8 --layers 2 --width 32 --batch 16 --shards 8 --threads 1 ";

Output ranks(int count, const std::string& words) {
  return shell(fmt::format("{} mpirun -n {} $TAPEHEAD {}", environment, count, words));
}
/// Starts a training in `x` and runs `how` once there is a checkpoint. `$(cat pid-1)` is the
/// process of rank 1.
Output disturbed(int count, const std::string& words, const std::string& how) {
  std::filesystem::remove_all("x");
  return shell(fmt::format(
      "{} mpirun -n {} sh -c 'echo $$ > pid-$OMPI_COMM_WORLD_RANK; exec $TAPEHEAD {} --out x' & "
      "while [ ! -e x/checkpoint ]; do sleep 0.05; done; {}; wait $!",
      environment, count, words, how));
}
Output signalled(int count, const std::string& words, const std::string& signal) {
  return disturbed(count, words, fmt::format("kill -{} $(cat pid-1)", signal));
}
/// Returns a run's weight hash without the run's name.
std::string digest_of(const std::string& run) { return done("digest " + run).text.substr(0, 16); }

/// Creates an mpirun that records its arguments after the number of ranks and runs the program in
/// one process. The first time, it kills the program once a checkpoint is saved.
void make_mpirun() {
  std::ofstream("mpirun") << R"(#!/bin/sh
printf "%s\n" "$*" >> calls
shift 2
if [ -e first ]; then exec "$@"; fi
touch first
"$@" & while [ ! -e x/checkpoint ]; do sleep 0.02; done; kill -9 $!; wait $!; exit 137
)";
  std::filesystem::permissions("mpirun", std::filesystem::perms::owner_all);
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_number_of_ranks_makes_the_same_run) {
  const std::string steps = "--steps 20 --eval-every 10 --dropout 0.1 ";
  done(small + steps + "--out one");
  for (const int count : {2, 3}) {
    const std::string out = fmt::format("of-{}", count);
    const Output output = ranks(count, small + steps + "--out " + out);
    BOOST_TEST_REQUIRE(output.status == 0, output.errors);
    BOOST_TEST(output.text.find(fmt::format("{} ranks", count)) != std::string::npos);
    BOOST_TEST(digest_of(out) == digest_of("one"));
    // Each line and file of a run is written once.
    BOOST_TEST(lines_of(contents(out + "/metrics.jsonl")).size() ==
               lines_of(contents("one/metrics.jsonl")).size());
  }
  const Output more = ranks(3, "train --resume one --steps 30 --change steps");
  BOOST_TEST(more.status == 0, more.errors);
  done(small + std::string("--steps 30 --eval-every 10 --dropout 0.1 --out whole"));
  done("train --resume of-2 --steps 30 --change steps");
  BOOST_TEST(digest_of("one") == digest_of("of-2"));
}

BOOST_AUTO_TEST_CASE(a_bad_launch_is_refused_in_one_line) {
  const auto refuses = [](const std::string& line, const std::string& text) {
    const Output output = shell(environment + line);
    BOOST_TEST(output.status == 2);
    BOOST_TEST(output.errors.find(text) != std::string::npos, output.errors);
    BOOST_TEST(count(output.errors, "tapehead: ") == 1, output.errors);
    BOOST_TEST(!std::filesystem::exists("x"));
  };
  const std::string base = fmt::format("$TAPEHEAD {} --out x", small);
  refuses("mpirun -n 9 " + base, "9 ranks for 8 shards; start at most 8, or use --shards 16");
  refuses(fmt::format("mpirun -n 1 {0} : -n 1 {0} --width 64", base), "has other options than");
  refuses(fmt::format("mpirun -n 2 {} --width 33", base), "--heads");
  std::filesystem::create_directory("there");
  std::ofstream("a.txt") << std::string(500, 'a') + std::string(500, 'b');
  std::ofstream("there/a.txt") << std::string(499, 'a') + std::string(501, 'b');
  const std::string text = "$TAPEHEAD train text --data a.txt --context 8 --out x";
  refuses(fmt::format("mpirun -n 1 {0} : -n 1 -wdir there {0}", text), "has other data than rank");
}

BOOST_AUTO_TEST_CASE(a_lost_rank_ends_the_job_and_the_run_goes_on) {
  const std::string steps =
      fmt::format("--steps {} --eval-every 10 ", under_sanitizers ? 100 : 300);
  done(small + steps + "--out whole");
  for (const char* signal : {"KILL", "STOP"}) {
    const Output lost = signalled(3, small + steps + "--rank-timeout 2", signal);
    BOOST_TEST(lost.status != 0);
    if (signal[0] == 'S') {
      BOOST_TEST(lost.errors.find("rank 1 on ") != std::string::npos, lost.errors);
      BOOST_TEST(
          lost.errors.find("sent no heartbeat for 2 seconds: ending the job") != std::string::npos,
          lost.errors);
    }
    const Output resumed = ranks(2, "train --resume x");
    BOOST_TEST_REQUIRE(resumed.status == 0, resumed.errors);
    BOOST_TEST(digest_of("x") == digest_of("whole"), signal);
  }
}

#ifdef __linux__
BOOST_AUTO_TEST_CASE(a_rank_that_hangs_ends_the_job) {
  if (under_sanitizers) return;  // sanitizers don't check other processes
  std::thread debugger([] {
    for (int waited = 0; !std::filesystem::exists("now") && waited < 6000; ++waited)
      ::usleep(10000);
    // Stops the first thread, which computes, while the heartbeat thread continues.
    const pid_t id = std::stoi(contents("pid-1"));
    BOOST_TEST(::ptrace(PTRACE_SEIZE, id, nullptr, nullptr) == 0);
    BOOST_TEST(::ptrace(PTRACE_INTERRUPT, id, nullptr, nullptr) == 0);
    int status = 0;
    while (::waitpid(id, &status, __WALL) == id && WIFSTOPPED(status)) {
    }
  });
  const Output lost = disturbed(
      2, small + std::string("--steps 100000 --eval-every 10 --rank-timeout 1"), "touch now");
  debugger.join();
  BOOST_TEST(lost.status != 0);
  BOOST_TEST(lost.errors.find("rank 1 on ") != std::string::npos, lost.errors);
  // A rank counts as lost after twice the timeout, or after four times a step if that is longer, as
  // on a busy machine.
  BOOST_TEST(lost.errors.find(" kept the others waiting for ") != std::string::npos, lost.errors);
  BOOST_TEST(lost.errors.find(" seconds: ending the job") != std::string::npos, lost.errors);
}
#endif

BOOST_AUTO_TEST_CASE(a_signal_to_any_rank_saves_and_ends) {
  for (const char* signal : {"TERM", "USR1"}) {
    const Output ended =
        signalled(2, small + std::string("--steps 100000 --eval-every 10"), signal);
    BOOST_TEST(ended.status == 130);
    BOOST_TEST(ended.text.find("all steps are saved") != std::string::npos, ended.text);
  }
}

#ifdef __linux__
BOOST_AUTO_TEST_CASE(mpi_is_loaded_only_where_a_launcher_started_the_process) {
  // ldd lists libraries that the program needs, not those that it opens itself.
  const Output needed = shell("ldd $TAPEHEAD");
  BOOST_TEST_REQUIRE(needed.status == 0, needed.errors);
  BOOST_TEST(needed.text.find("libmpi") == std::string::npos, needed.text);
  std::filesystem::create_directory("alone");
  const Output refused = shell(
      "cp $TAPEHEAD alone/ && OMPI_COMM_WORLD_SIZE=2 alone/tapehead train copy --steps 1 --out x");
  BOOST_TEST(refused.status != 0);
  BOOST_TEST(refused.errors.find("a launcher started 2 processes, but MPI "
                                 "can't be loaded: libtapehead_mpi.so") != std::string::npos,
             refused.errors);
  BOOST_TEST(!std::filesystem::exists("x"));
}
#endif

BOOST_AUTO_TEST_CASE(launch_starts_again_what_was_lost) {
  make_mpirun();
  const std::string steps = fmt::format("--steps {} --eval-every 5 ", under_sanitizers ? 50 : 200);
  const std::string words = small + steps + "--out x";
  const Output output = shell("PATH=.:$PATH $TAPEHEAD launch -n 3 --retry 2 -- " + words);
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(output.errors.find("launch: the ranks exited with status 137; attempt 2 of 3 "
                                "resumes x") != std::string::npos,
             output.errors);
  const std::vector<std::string> calls = lines_of(contents("calls"));
  BOOST_TEST_REQUIRE(calls.size() == 2U);
  BOOST_TEST(calls[0].rfind("-n 3 ", 0) == 0);
  BOOST_TEST(calls[0].find(words) != std::string::npos);
  BOOST_TEST(calls[1].find(" train --resume x") != std::string::npos);
  done(small + steps + "--out whole");
  BOOST_TEST(digest_of("x") == digest_of("whole"));
}

BOOST_AUTO_TEST_CASE(launch_leaves_out_who_does_not_answer) {
  make_mpirun();
  std::ofstream("first");
  std::ofstream("ssh") << "#!/bin/sh\n[ \"$5 $6\" != '-- lost' ]\n";
  std::filesystem::permissions("ssh", std::filesystem::perms::owner_all);
  std::ofstream("hosts") << "# three machines\none slots=2\nlost slots=4\n\nanother\n";
  std::ofstream("mpirun") << "#!/bin/sh\nprintf '%s\\n' \"$*\" >> calls\ncat \"$2\" >> calls\n";
  const Output output =
      shell("PATH=.:$PATH $TAPEHEAD launch -n 6 --hosts hosts -- train copy --out x");
  BOOST_TEST(output.errors == "launch: lost doesn't answer over ssh; continuing without it\n");
  const std::vector<std::string> calls = lines_of(contents("calls"));
  BOOST_TEST_REQUIRE(calls.size() == 3U);
  BOOST_TEST(calls[0].rfind("--hostfile x.hosts -n 3 ", 0) == 0, calls[0]);
  BOOST_TEST(calls[1] == "one slots=2");
  BOOST_TEST(calls[2] == "another");
}

BOOST_AUTO_TEST_CASE(launch_takes_nothing_else_for_a_host) {
  for (const char* program : {"ssh", "mpirun"}) {
    std::ofstream(program) << "#!/bin/sh\necho >> calls\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  const std::string launch = "launch -n 2 --hosts hosts -- train copy --out x";
  for (const char* wrong : {"-oProxyCommand=touch${IFS}calls", "$(id)", "one -x", "one slots",
                            "one slots=0", "one slots=2x", "one slots=-1", "one port=`id`"}) {
    std::ofstream("hosts") << "# machines\none slots=2\n" << wrong << "\n";
    const std::string word = std::string(wrong).substr(std::string(wrong).find(' ') + 1);
    expect_refused(
        shell("PATH=.:$PATH $TAPEHEAD " + launch),
        fmt::format("hosts:3: invalid host '{}'; expected a line like `node-1 slots=4`", word), 1);
  }
  std::filesystem::remove("hosts");
  BOOST_TEST_REQUIRE(::mkfifo("hosts", 0600) == 0);
  expect_refused(launch, "hosts: a pipe can be read only once; save it to a file first", 1);
  BOOST_TEST(!std::filesystem::exists("calls"));
}

BOOST_AUTO_TEST_CASE(launch_knows_the_folder_of_the_run) {
  std::ofstream("mpirun") << "#!/bin/sh\nshift 2\nexec \"$@\"\n";
  std::filesystem::permissions("mpirun", std::filesystem::perms::owner_all);
  std::ofstream("mine.toml") << "task = \"copy\"\nlength = 4\nsteps = 1\n";
  std::ofstream("there.toml") << contents("mine.toml") << "out = \"there\"\n";
  for (const auto& [words, folder] : {std::pair("copy --length 4 --steps 1 --out=x/", "x"),
                                      std::pair("--config mine.toml", "runs/copy-0"),
                                      std::pair("--steps 1 copy --length 4", "runs/copy-1"),
                                      std::pair("--config=there.toml", "there")}) {
    const Output output =
        shell(fmt::format("PATH=.:$PATH $TAPEHEAD launch -n 1 -- train {}", words));
    BOOST_TEST(output.status == 0, output.errors);
    BOOST_TEST(std::filesystem::exists(std::string(folder) + "/checkpoint"), words);
  }
  expect_names("runs", {"copy-0", "copy-1"});
  expect_refused("launch -n 1 -- train cpoy", "unknown task 'cpoy'; did you mean 'copy'?");
}

BOOST_AUTO_TEST_CASE(launch_does_not_retry_what_cannot_succeed) {
  const auto attempts = [](const std::string& mpirun, int status) {
    std::filesystem::remove("calls");
    std::ofstream("mpirun") << "#!/bin/sh\necho >> calls\n" << mpirun << "\n";
    std::filesystem::permissions("mpirun", std::filesystem::perms::owner_all);
    const Output output =
        shell("PATH=.:$PATH $TAPEHEAD launch -n 2 --retry 3 -- train copy --out x");
    BOOST_TEST(output.status == status, output.errors);
    return lines_of(contents("calls")).size();
  };
  BOOST_TEST(attempts("exit 2", 2) == 1U);
  const std::string error = "echo \"tapehead: x: no room; see $$\" >&2; ";
  BOOST_TEST(attempts(error + "exit 1", 1) == 2U);
  BOOST_TEST(attempts("echo lost >&2; exit 1", 1) == 4U);  // retried: not an error of tapehead
  BOOST_TEST(attempts("echo \"tapehead: $(wc -l < calls)\" >&2; exit 1", 1) ==
             4U);  // retried: each attempt has another error
  // Each attempt saves another checkpoint, so `launch` retries.
  BOOST_TEST(attempts("n=$(wc -l < calls); mkdir -p x/step-$n; touch x/config.toml; rm -f "
                      "x/checkpoint; ln -s step-$n x/checkpoint; " +
                          error + "exit 1",
                      1) == 4U);
  // The folder has a run with another configuration, so `launch` doesn't retry.
  BOOST_TEST(attempts(error + "exit 1", 1) == 1U);
}

BOOST_AUTO_TEST_CASE(launch_refuses_what_is_no_training) {
  expect_refused("train copy --rank-timeout 0", "--rank-timeout must be above 0, not 0");
  expect_refused("launch -n 2 -- eval x",
                 "launch supports only `train`; use: launch -n 4 -- train copy");
  expect_refused("launch -n 0 -- train copy", "-n must be at least 1, not 0");
  expect_refused("launch -n 2 --retry -1 -- train copy", "--retry must be at least 0, not -1");
  expect_refused("launch -n 2 --hosts none -- train copy --out x",
                 "none: No such file or directory", 1);
}

BOOST_AUTO_TEST_SUITE_END()
