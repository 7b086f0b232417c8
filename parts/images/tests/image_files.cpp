#include "image_files.hpp"
#include "../../../core/random.hpp"
#include "../../../tests/shared/tasks.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace tapehead {

std::string digit_lines(int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) {
    Random random({0, Draw::test, 0, 0, static_cast<std::uint32_t>(line)});
    const Index digit = line % 10;
    for (Index pixel = 0; pixel < 64; ++pixel) {
      const bool stroke = digit < 5 ? pixel % 8 == digit + 1 : pixel / 8 == digit - 4;
      text += fmt::format("{},", stroke ? 12 + random.below(5) : random.below(3));
    }
    text += fmt::format("{}\n", digit);
  }
  return text;
}

std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& elements) {
  std::string bytes = {0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes)
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift & 0xff);
  return bytes + elements;
}

std::string gzipped(const std::string& bytes) {
  const Scratch scratch;
  const gzFile file = gzopen(scratch.file("x").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  std::ifstream in(scratch.file("x"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string write_mnist(const Scratch& scratch, const std::string& name, bool packed,
                        std::uint64_t seed) {
  std::filesystem::create_directory(scratch.file(name));
  const auto write = [&](const std::string& file, const std::string& bytes) {
    scratch.write(name + "/" + file + (packed ? ".gz" : ""), packed ? gzipped(bytes) : bytes);
  };
  std::uint32_t first = 0;
  for (const auto& [part, count] : {std::pair("train", 40u), {"t10k", 10u}}) {
    std::string images, labels;
    for (std::uint32_t i = 0; i < count; ++i) {
      Random random({seed, Draw::test, 1, 0, first + i});
      labels += static_cast<char>(i % 5);
      for (Index pixel = 0; pixel < 48; ++pixel)
        images += static_cast<char>(pixel / 8 == i % 5 ? 255 - random.below(50) : random.below(50));
    }
    first += count;
    write(std::string(part) + "-images-idx3-ubyte", idx({count, 8, 6}, images));
    write(std::string(part) + "-labels-idx1-ubyte", idx({count}, labels));
  }
  return scratch.file(name);
}

namespace {

const DataFor digits("digits", [](const Scratch& scratch, const std::string& name, bool other) {
  return scratch.write(name, digit_lines(other ? 120 : 100));
});
const DataFor images("images", [](const Scratch& scratch, const std::string& name, bool other) {
  return write_mnist(scratch, name + "-images", false, other ? 1 : 0);
});

}  // namespace

}  // namespace tapehead
