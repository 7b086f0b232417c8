#include "../../train/files/files.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(digest_command, Elsewhere)

namespace {

const std::string small = "train copy --length 4 --symbols 4 --width 16 --batch 8 ";

/// Returns the digest at the end of a line, after its label.
std::string printed_digest(const std::string& text) {
  const std::string label = "weight hash:          ";
  const std::size_t at = text.find(label);
  BOOST_TEST_REQUIRE(at != std::string::npos, text);
  return text.substr(at + label.size(), text.find('\n', at) - at - label.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(digest_is_printed_recorded_and_verified) {
  const std::string digest =
      printed_digest(done(small + "--steps 6 --eval-every 3 --average 0.9 --out r").text);
  BOOST_TEST(digest.size() == 16u);
  BOOST_TEST(done("digest r").text == digest + " · step 6 of r · numerics 1\n");
  BOOST_TEST(json_of("digest r --json") ==
             json({{"run", "r"}, {"step", 6}, {"digest", digest}, {"numerics", 1}}));
  const auto lines = lines_of(contents("r/metrics.jsonl"));
  BOOST_TEST(parsed(lines.back())["digest"] == digest);
  BOOST_TEST(read_safetensors("r/model.safetensors").metadata.at("digest") == digest);
  const json all = json_of("digest r --all --json");
  BOOST_TEST_REQUIRE(all.size() == 2u);
  BOOST_TEST(all[1]["digest"] == digest);
  BOOST_TEST(done("digest r --all").text ==
             fmt::format("3  {}\n6  {}\n", all[0]["digest"].get<std::string>(), digest));
}

BOOST_AUTO_TEST_CASE(numerics_are_those_that_trained_the_checkpoint) {
  done(small + "--steps 2 --eval-every 2 --out r");
  done("train --resume r --steps 4 --change steps");
  const std::string lines = contents("r/provenance.jsonl");
  std::string text = lines;
  text.replace(text.rfind("\"numerics\":1"), 12, "\"numerics\":7");
  write_file("r/provenance.jsonl", text);
  const json all = json_of("digest r --all --json");
  BOOST_TEST(all[0]["numerics"] == 1);
  BOOST_TEST(all[1]["numerics"] == 7);
  std::filesystem::remove("r/provenance.jsonl");
  BOOST_TEST(!json_of("digest r --json").contains("numerics"));
  BOOST_TEST(has(done("digest r").text, " · step 4 of r\n"));
}

BOOST_AUTO_TEST_CASE(digest_is_independent_of_interruption_and_folder) {
  done(small + "--steps 6 --eval-every 3 --out whole");
  done(small + "--steps 3 --eval-every 3 --out part");
  done("train --resume part --steps 6 --change steps");
  const std::string other = done(small + "--steps 3 --seed 1 --out other").text;
  BOOST_TEST(json_of("digest part --json")["digest"] == json_of("digest whole --json")["digest"]);
  BOOST_TEST(printed_digest(other) != json_of("digest part --json")["digest"]);
}

BOOST_AUTO_TEST_CASE(note_of_an_earlier_version_is_shown_and_kept) {
  const Output first = done(small + "--steps 2 --dtype bf16 --out b");
  const std::string digest = printed_digest(first.text);
  const std::string file = "b/model.safetensors";
  Safetensors model = read_safetensors(file);
  BOOST_TEST(model.metadata.count("digest_note") == 0u);
  model.metadata["digest_note"] = "bf16 by avx512";
  write_file(file, encode_safetensors(model));
  BOOST_TEST(done("digest b").text == digest + " (bf16 by avx512) · step 2 of b · numerics 1\n");
  BOOST_TEST(json_of("digest b --json")["note"] == "bf16 by avx512");
  const Output after = done("train --resume b --steps 4 --change steps");
  BOOST_TEST(has(printed_digest(after.text), " (bf16 by avx512)"));
}

BOOST_AUTO_TEST_CASE(refuses_weights_that_differ_from_the_recorded_digest) {
  done(small + "--steps 2 --out r");
  const std::string file = "r/model.safetensors";
  Safetensors model = read_safetensors(file);
  const std::string right = model.metadata.at("digest");
  model.metadata["digest"] = "0123456789abcdef";
  write_file(file, encode_safetensors(model));
  expect_refused("digest r",
                 "r/model.safetensors: the recorded weight hash is \"0123456789abcdef\", but the "
                 "weights have " +
                     right,
                 1);
  BOOST_TEST(command("digest r --all").status == 1);
  model.metadata.erase("digest");  // earlier versions recorded no digest
  write_file(file, encode_safetensors(model));
  BOOST_TEST(done("digest r").text == right + " · step 2 of r · numerics 1\n");
  expect_refused("digest nothing", "nothing: No such file or directory", 1);
}

BOOST_AUTO_TEST_SUITE_END()
