// Encodes texts and prints the time, for bench/tokens.py.
//   bench_tokens encode MERGES TEXTS IDS TEXTS: for each text the number of bytes, u32, and bytes;
//                                          IDS: for each text the number of ids, u32, and ids, u32
//   bench_tokens bytes MERGES N            N random strings of bytes, encoded and decoded
//   bench_tokens learn FILE N              N merges of a file
#include "../core/random.hpp"
#include "../parts/tokens/byte_pairs.hpp"
#include "../train/files/files.hpp"
#include "../train/files/strings.hpp"

#include <cstdio>
#include <cstring>
#include <ctime>

using namespace tapehead;

namespace {

std::uint32_t take(const std::string& file, std::size_t& at) {
  std::uint32_t number = 0;
  std::memcpy(&number, file.data() + at, sizeof number);
  at += sizeof number;
  return number;
}

void put(std::string& file, std::size_t number) {
  const auto narrow = static_cast<std::uint32_t>(number);
  file.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
}

/// Returns the CPU time of this process in seconds.
double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void encode(const BytePairs& pairs, const std::string& texts, const std::string& ids) {
  const std::string file = read_file(texts);
  std::string out;
  double seconds = 0, megabytes = 0;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t size = take(file, at);
    const std::string_view text = std::string_view(file).substr(at, size);
    at += size;
    const double before = processor_time();
    const std::vector<int> tokens = pairs.encode(text);
    seconds += processor_time() - before;
    megabytes += 1e-6 * static_cast<double>(size);
    put(out, tokens.size());
    for (int token : tokens) put(out, static_cast<std::size_t>(token));
  }
  write_file(ids, out);
  std::printf("%.6f\n", megabytes / seconds);
}

/// Encodes and decodes random byte strings, and prints how many strings change. Half of the bytes
/// come from UTF-8 characters, so that some BPE merges apply.
int round_trips(const BytePairs& pairs, Index count) {
  Random random({1, Draw::batch, 0, 0, 0});
  Index wrong = 0;
  for (Index i = 0; i < count; ++i) {
    std::string bytes;
    for (Index left = random.below(32); left > 0; --left)
      bytes += static_cast<char>(random.below(2) ? random.below(256) : 0x61 + random.below(26));
    // With merges, encode() replaces invalid UTF-8; without merges, it keeps all bytes.
    const std::string text = replace_invalid(bytes);
    wrong += pairs.decode(pairs.encode(bytes)) != text;
    wrong += BytePairs().decode(BytePairs().encode(bytes)) != bytes;
  }
  std::printf("%lld\n", static_cast<long long>(wrong));
  return wrong > 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) return 2;
  if (words[0] == "learn") {
    const std::string text = replace_invalid(read_file(words[1]));
    const double before = processor_time();
    const auto merges = learn_merges(text, std::stoi(words[2]));
    std::printf("%zu merges in %.2f s\n", merges.size(), processor_time() - before);
    return 0;
  }
  const BytePairs pairs = BytePairs::from_text(read_file(words[1]), words[1]);
  if (words[0] == "bytes") return round_trips(pairs, std::stoll(words[2]));
  if (words.size() < 4) return 2;
  encode(pairs, words[2], words[3]);
}
