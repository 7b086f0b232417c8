#include "../../train/runs/checkpoint.hpp"
#include "../../nn/layers.hpp"
#include "../../optim/optimizers.hpp"
#include "../../train/files/files.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_model.hpp"

namespace tapehead {
BOOST_FIXTURE_TEST_SUITE(checkpoint, InScratch)

namespace {

/// A checkpoint of step 5 whose values are all 1, which tests damage.
class Saved {
 public:
  Saved() {
    ToyModel model(1);
    ToyOptimizer optimizer(model, 1);
    optimizer.steps = 4;
    write_checkpoint(folder(), model, optimizer, 5);
  }
  std::string folder() const { return scratch_.file(""); }
  std::string path(const char* file) const { return folder() + "/" + file; }

  template <class Change>
  void change(const char* file, Change change) const {
    Safetensors contents = decode_safetensors(read_file(path(file)), file);
    change(contents);
    write_file(path(file), encode_safetensors(contents));
  }
  /// Expects that reading throws and changes nothing.
  template <class E = FileError>
  void expect_refused(ToyModel& model, const char* file, const std::string& reason) const {
    ToyOptimizer optimizer(model);
    EXPECT_ERROR(E, read_checkpoint(folder(), model, &optimizer), path(file) + ": " + reason);
    BOOST_TEST(all_are(model, optimizer, 0));
    BOOST_TEST(optimizer.steps == 0);
  }
  template <class E = FileError>
  void expect_refused(const char* file, const std::string& reason) const {
    ToyModel model;
    expect_refused<E>(model, file, reason);
  }

 private:
  Scratch scratch_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(written_data_is_read_back) {
  const Saved saved;
  ToyModel model;
  ToyOptimizer optimizer(model);
  BOOST_TEST(read_checkpoint(saved.folder(), model, &optimizer) == 5);
  BOOST_TEST(all_are(model, optimizer, 1));
  BOOST_TEST(optimizer.steps == 4);
  BOOST_TEST(!model.scale.trainable);  // frozen parameters are read too
  for (Tensor& moment : optimizer.moments) moment.mutable_data<float>();  // not shared
  model.weight.change<float>();
}

BOOST_AUTO_TEST_CASE(f64_stays_f64) {
  ToyModel model(0.1, 3, DType::f64), other(0, 3, DType::f64);
  ToyOptimizer optimizer(model, 0.3), others(other);
  write_checkpoint(scratch.file(""), model, optimizer, 0);
  BOOST_TEST(read_checkpoint(scratch.file(""), other, &others) == 0);
  expect_equal(other.weight.value(), full({2, 3}, 0.1, DType::f64));
  expect_equal(others.moments[0], full({2, 3}, 0.3, DType::f64));
}

BOOST_AUTO_TEST_CASE(a_model_is_read_without_its_optimizer) {
  const Saved saved;
  std::filesystem::remove(saved.path(optimizer_file));
  ToyModel model;
  BOOST_TEST(read_checkpoint(saved.folder(), model, nullptr) == 5);
  expect_equal(model.weight.value(), ones({2, 3}));
  saved.expect_refused(optimizer_file, "No such file or directory");
}

BOOST_AUTO_TEST_CASE(steps_must_agree) {
  const Saved saved;
  saved.change(optimizer_file, [](Safetensors& s) { s.metadata["step"] = "6"; });
  saved.expect_refused(optimizer_file, "is from step 6, but the model is from step 5");
}

BOOST_AUTO_TEST_CASE(metadata_must_belong_to_a_checkpoint) {
  for (const char* file : {model_file, optimizer_file}) {
    for (const char* step : {"", "x", "-1", "+1", " 1", "1 ", "1.5", "99999999999999999999"}) {
      const Saved saved;
      saved.change(file, [&](Safetensors& s) { s.metadata["step"] = step; });
      saved.expect_refused(file, "no valid number for step in its metadata");
    }
    const Saved saved;
    saved.change(file, [](Safetensors& s) { s.metadata["tapehead_checkpoint"] = "3"; });
    saved.expect_refused<MismatchError>(file,
                                        "tapehead_checkpoint is \"3\", expected \"1\" or \"2\"");
    saved.change(file, [](Safetensors& s) {
      s.metadata["tapehead_checkpoint"] = "2";
      s.metadata.erase("tapehead_crc32");
    });
    saved.expect_refused(file, "damaged: no tapehead_crc32 in its metadata");
    saved.change(file, [](Safetensors& s) { s.metadata.clear(); });
    saved.expect_refused(file, "not a checkpoint of a run: no tapehead_checkpoint in its metadata");
  }
  const Saved saved;
  saved.change(optimizer_file, [](Safetensors& s) { s.metadata.erase("updates"); });
  saved.expect_refused(optimizer_file, "no valid number for updates in its metadata");
}

BOOST_AUTO_TEST_CASE(names_types_and_shapes_must_fit) {
  using Tensors = std::map<std::string, Tensor>;
  const std::tuple<const char*, void (*)(Tensors&), const char*> all[] = {
      {model_file, [](Tensors& t) { t.erase("scale"); },
       "\"scale\" is missing, but the model has it"},
      {model_file, [](Tensors& t) { t["other"] = scalar(1); },
       "unexpected \"other\", which the model doesn't have"},
      {optimizer_file, [](Tensors& t) { t.erase("moment.weight"); },
       "\"moment.weight\" is missing, but the optimizer has it"},
      {optimizer_file, [](Tensors& t) { t["other"] = scalar(1); },
       "unexpected \"other\", which the optimizer doesn't have"},
      {optimizer_file,
       [](Tensors& t) {
         t["moment.weight"] = ones({3, 2});
       },
       "\"moment.weight\" is f32 (3, 2), but the optimizer has f32 (2, 3)"}};
  for (const auto& [file, change, message] : all) {
    const Saved saved;
    saved.change(file, [change = change](Safetensors& s) { change(s.tensors); });
    saved.expect_refused<MismatchError>(file, message);
  }
  const Saved saved;
  ToyModel wide(0, 4), precise(0, 3, DType::f64);
  saved.expect_refused<MismatchError>(wide, model_file,
                                      "\"empty\" is f32 (0, 3), but the model has f32 (0, 4)");
  saved.expect_refused<MismatchError>(precise, model_file,
                                      "\"empty\" is f32 (0, 3), but the model has f64 (0, 3)");
}

// The first version had no checksum.
BOOST_AUTO_TEST_CASE(files_of_the_first_version_need_no_checksum) {
  const Saved saved;
  for (const char* file : {model_file, optimizer_file})
    saved.change(file, [](Safetensors& s) {
      s.metadata["tapehead_checkpoint"] = "1";
      s.metadata.erase("tapehead_crc32");
    });
  ToyModel model;
  ToyOptimizer optimizer(model);
  BOOST_TEST(read_checkpoint(saved.folder(), model, &optimizer) == 5);
  BOOST_TEST(all_are(model, optimizer, 1));
  BOOST_TEST(read_record(saved.folder()).steps == 5);
}

BOOST_AUTO_TEST_CASE(the_configuration_is_recorded) {
  const Saved saved;
  BOOST_TEST(read_record(saved.folder()).config == "");
  ToyModel model;
  ToyOptimizer optimizer(model);
  const std::string config = "task = \"gr\xc3\xbcn\"\nlr = 0.1\n";
  TrainingRecord training;
  training.config = config;
  training.data = "data 0123\n";
  write_checkpoint(saved.folder(), model, optimizer, 6, nullptr, training);
  const CheckpointRecord record = read_record(saved.folder());
  BOOST_TEST(record.steps == 6);
  BOOST_TEST(record.config == config);
  BOOST_TEST(record.data == "data 0123\n");
}

BOOST_AUTO_TEST_CASE(every_damaged_bit_is_refused) {
  const Saved saved;
  for (const char* file : {model_file, optimizer_file}) {
    const std::string path = saved.path(file), bytes = read_file(path);
    ToyModel model;
    ToyOptimizer optimizer(model);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string damaged = bytes;
      damaged[at] ^= 1 << at % 8;
      std::ofstream(path, std::ios::binary) << damaged;
      BOOST_CHECK_THROW(read_checkpoint(saved.folder(), model, &optimizer), FileError);
      BOOST_TEST_REQUIRE(all_are(model, optimizer, 0));
    }
    write_file(path, bytes);
  }
}

BOOST_AUTO_TEST_CASE(duplicate_names_and_missing_values_are_refused) {
  struct Twice : ToyModel {
    void visit(Visitor& v) override { v("a", weight), v("a", scale); }
  };
  Twice twice;
  ToyOptimizer optimizer(twice);
  EXPECT_ERROR(ValueError, write_checkpoint(scratch.file(""), twice, optimizer, 1),
               "checkpoint: two tensors are named \"a\"; names must be unique");
  ToyModel model;
  ToyOptimizer late(model);
  late.moments[0] = Tensor();
  EXPECT_ERROR(ValueError, write_checkpoint(scratch.file(""), model, late, 1),
               "checkpoint: \"moment.weight\" has no value yet");
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there) {
  const std::string folder = scratch.file("none");
  ToyModel model;
  ToyOptimizer optimizer(model);
  const std::string message = folder + "/model.safetensors: No such file or directory";
  EXPECT_ERROR(SystemError, write_checkpoint(folder, model, optimizer, 1), message);
  EXPECT_ERROR(FileError, read_checkpoint(folder, model, &optimizer), message);
}

// Training for three steps equals training for two, saving, loading, and training for one: the
// results are bitwise identical.
BOOST_AUTO_TEST_CASE(resumed_training_is_bitwise_identical) {
  const Tensor x = random_normal({4, 3}, {1, Draw::test}),
               y = random_normal({4, 2}, {2, Draw::test});
  const auto train = [&](Linear& model, Optimizer& optimizer, int steps) {
    for (int i = 0; i < steps; ++i) {
      Tape tape;
      Pass pass;
      const Tensor error = model(x, pass) - y;
      optimizer.step(tape.backward(error * error, ones({4, 2})));
    }
  };
  Linear model(3, 2), resumed(3, 2);
  initialise(model, 1);
  initialise(resumed, 2);
  AdamW optimizer(model);
  train(model, optimizer, 2);
  write_checkpoint(scratch.file(""), model, optimizer, 2);
  train(model, optimizer, 1);

  AdamW fresh(resumed);
  BOOST_TEST(read_checkpoint(scratch.file(""), resumed, &fresh) == 2);
  train(resumed, fresh, 1);
  expect_equal(resumed.weight.value(), model.weight.value());
  expect_equal(resumed.bias.value(), model.bias.value());
  BOOST_TEST(fresh.steps == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead
