#include "../../train/files/sha256.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sha256)

std::string sum(const std::string& bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

// From NIST's examples for FIPS 180-4.
BOOST_AUTO_TEST_CASE(gives_the_published_digests) {
  BOOST_TEST(sum("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  BOOST_TEST(sum("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                 "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
             "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  BOOST_TEST(sum(std::string(1000000, 'a')) ==
             "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The length takes the last eight bytes of a block. 55 bytes and the bit after them just leave room
// for it. Computed by `head -c 55 /dev/zero | tr '\0' a | sha256sum`, and likewise for other
// lengths.
BOOST_AUTO_TEST_CASE(fills_the_last_block) {
  const std::map<std::size_t, std::string> expected = {
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
      {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
      {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"}};
  for (const auto& [count, digest] : expected)
    BOOST_TEST(sum(std::string(count, 'a')) == digest, count);
}

BOOST_AUTO_TEST_CASE(takes_bytes_in_pieces_of_any_size) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(7 * i);
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    Sha256 pieces;
    for (std::size_t at = 0; at < bytes.size(); at += size)
      pieces.add(std::string_view(bytes).substr(at, size));
    BOOST_TEST(pieces.hex() == sum(bytes), size);
  }
}

BOOST_AUTO_TEST_SUITE_END()
