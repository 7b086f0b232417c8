// Tests images in the commands' output.
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/registered.hpp"
#include "image_files.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(gallery, Elsewhere)

namespace {

const std::string small =
    " --layers 1 --heads 2 --width 8 --batch 8 --eval-every 0 --seed 1 --threads 1 ";
void train_shapes(const std::string& more = "--steps 12 ") {
  done("train shapes --side 8 --out r" + small + more);
}
void train_digits() {
  std::ofstream("digits.csv") << digit_lines(200);
  done("train digits --data digits.csv --out r --steps 400" + small);
}

/// Returns the data embedded in a page.
json data_of(const std::string& page) {
  const std::string before = R"(id="data")";
  const std::size_t begin = page.find('>', page.find(before)) + 1;
  return parsed(page.substr(begin, page.find("</script>", begin) - begin));
}

const boost::unit_test::precondition with_pages(registered("report"));

}  // namespace

BOOST_AUTO_TEST_CASE(sample_shows_mistakes_first) {
  train_digits();
  const json shown = json_of("sample r --examples 30 --json");
  bool right_before = false;
  int wrong = 0;
  for (const json& prompt : shown["prompts"]) {
    const bool right = prompt["samples"][0]["right"];
    BOOST_TEST((right || !right_before));
    right_before = right;
    wrong += !right;
  }
  BOOST_TEST(wrong > 0);
  BOOST_TEST(wrong < 30);
  const Output output = done("sample r --examples 2");
  expect_plain(output.text);
  BOOST_TEST(count(output.text, "  in   ") == 2u);
  BOOST_TEST(count(output.text, "  out  ") == 2u);
  BOOST_TEST(lines_of(output.text).size() > 18u);
}

BOOST_AUTO_TEST_CASE(a_prompt_is_an_image) {
  train_digits();
  const std::string line = digit_lines(1);
  const std::string pixels = line.substr(0, line.rfind(','));
  const Output output = done("sample r --prompt " + pixels);
  expect_plain(output.text);
  BOOST_TEST(lines_of(output.text).size() == 9u);
  BOOST_TEST(lines_of(output.text)[0].rfind("  in   ", 0) == 0u);
  BOOST_TEST(lines_of(output.text)[8].rfind("  out  ", 0) == 0u);
  std::filesystem::remove("digits.csv");  // a trained model doesn't need it
  BOOST_TEST(done("sample r --prompt " + pixels).text == output.text);
  expect_refused("sample r --prompt '1 2'",
                 "digits expects an image of 8 x 8: 64 numbers from 0 to 16, got 2");
}

BOOST_AUTO_TEST_CASE(eval_shows_the_first_mistakes) {
  train_shapes();
  const Output output = done("eval r");
  expect_plain(output.text);
  BOOST_TEST(missing(output.text, {"most frequent mistakes", "\nfirst mistakes\n", " ✗", "not "}) ==
             "");
  BOOST_TEST(count(output.text, "✗") == 8u);
  BOOST_TEST(!has(output.text, "teacher forc"));
}

BOOST_AUTO_TEST_CASE(eval_takes_other_images) {
  train_digits();
  std::ofstream("other.csv") << digit_lines(90);
  const json other = json_of("eval r --data other.csv --json");
  BOOST_TEST(other["examples"] == 90);
  BOOST_TEST(has(done("eval r --data other.csv").text, " of 90 examples · loss "));
}

BOOST_AUTO_TEST_CASE(attention_overlays_the_image) {
  for (const std::string pool : {"mean", "class"}) {
    std::filesystem::remove_all("r");
    train_shapes("--steps 3 --pool " + pool);
    const Output output = done("attention r");
    expect_plain(output.text);
    BOOST_TEST(has(output.text, pool == "class" ? "attention of the class token\n"
                                                : "mean attention of the patches\n"));
    BOOST_TEST(missing(output.text,
                       {"the image ", "layer 0 head 0", "layer 0 head 1", "0,0", "1,1"}) == "");
    BOOST_TEST(has(output.text, "\n  class  ") == (pool == "class"));
    done("attention r --out a.npy");
  }
}

BOOST_AUTO_TEST_CASE(an_encoder_reads_pixels_as_tokens) {
  train_shapes("--arch encoder --steps 2 ");
  BOOST_TEST(!has(done("attention r").text, "the image"));
  BOOST_TEST(has(done("eval r").text, "\nfirst mistakes\n"));
}

// Runs only if the build has pages.
BOOST_AUTO_TEST_CASE(attention_has_the_image_on_its_page, *with_pages) {
  for (const std::string pool : {"mean", "class"}) {
    std::filesystem::remove_all("r");
    train_shapes("--steps 3 --pool " + pool);
    done("attention r --out a.html");
    const json data = data_of(contents("a.html"));
    BOOST_TEST(data["image"]["rows"] == 8);
    BOOST_TEST(data["image"]["patch"] == 4);
    BOOST_TEST(data["image"]["before"] == (pool == "class" ? 1 : 0));
    BOOST_TEST(data["image"]["pixels"].get<std::string>().size() == 6u * 64);
    BOOST_TEST(data["maps"][0]["keys"].size() == (pool == "class" ? 5u : 4u));
    done("attention r --out a.svg");
  }
  std::filesystem::remove_all("r");
  train_shapes("--arch encoder --steps 2 ");
  done("attention r --out a.html");
  BOOST_TEST(data_of(contents("a.html"))["image"].is_null());
}

BOOST_AUTO_TEST_CASE(the_report_has_images, *with_pages) {
  train_shapes();
  done("report r --out r.html");
  const json run = data_of(contents("r.html"))["runs"][0];
  BOOST_TEST(!run["mistakes"]["wrong"].empty());
  for (const json& wrong : run["mistakes"]["wrong"]) {
    BOOST_TEST(wrong["image"]["columns"] == 8);
    BOOST_TEST(!wrong.contains("question"));
    BOOST_TEST(wrong["right"].size() == 1u);
  }
  for (const json& example : run["maps"]["examples"])
    BOOST_TEST(example["image"]["pixels"].get<std::string>().size() == 6u * 64);
}

BOOST_AUTO_TEST_CASE(invalid_patches_are_refused) {
  expect_refused("train shapes --patch 3",
                 "--patch 3: patches: 3 x 3 pixels don't divide an image of 16 x 16");
  expect_refused("train shapes --patch 1",
                 "--patch 1: patches: a patch of 1 x 1 pixels can't be shifted by half");
  expect_refused("train shapes --pool max", "unknown --pool 'max'; expected mean or class");
  expect_refused("train copy --arch vit", "copy supports only --arch gpt, got --arch vit");
}

BOOST_AUTO_TEST_SUITE_END()
