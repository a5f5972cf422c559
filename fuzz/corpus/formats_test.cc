// One file of every version of every format that was ever written, read for ever: what is in
// formats/ is only added to. A version that is raised without a file of it is an error here.
//
// To add a format: a file FORMAT-VERSION-WHAT of it, a test that reads it to the last value, and
// its line in current_versions().
#include <gmock/gmock.h>

#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "fuzz/campaign/state_folder.h"
#include "fuzz/journal_file.h"
#include "fuzz/sweep_state.h"
#include "oracles/case_text.h"
#include "oracles/case_text_test_op.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Index = TextTestIndex;

std::string path_of(const std::string& name) {
  return std::string(BYTEGATE_FORMATS) + "/" + name;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

Case read_kept(const std::string& name) {
  const std::array<const Op*, 1> ops = {&text_test_op()};
  LoadResult loaded = load_case(path_of(name), ops);
  EXPECT_TRUE(loaded.value) << loaded.error;
  return loaded.value ? std::move(*loaded.value) : make_case(text_test_op());
}

TEST(Formats, Case1WithEveryFieldIsReadToTheLastValue) {
  const Case c = read_kept("case-1-everything.case");
  EXPECT_EQ(c.expect, Expect::kBytes);
  EXPECT_EQ(c.mode, Mode::kGraph);
  EXPECT_EQ(c.backend, BackendKind::kHost);
  EXPECT_EQ(c.forced_path, "tiny");
  EXPECT_EQ(c.seed, UINT64_MAX);
  EXPECT_EQ(c.origin, "mismatch:result@graph");
  EXPECT_EQ(c.note, "a \\ backslash, a tab \t and \xc3\xa9 at the end ");
  EXPECT_THAT(c.scalars, ElementsAre(-1, INT64_MIN));
  EXPECT_THAT(c.dims, ElementsAre(2, 40));
  EXPECT_THAT(c.call_faults, IsEmpty());
  EXPECT_THAT(c.tensors[Index::kIndices].elements.int64(), ElementsAre(INT64_MIN, INT64_MAX));
  const Tensor& mask = c.tensors[Index::kMask];
  EXPECT_EQ(mask.shape, Dims({2, 3, 2}));
  EXPECT_EQ(mask.strides, Dims({1, 100, 2}));
  EXPECT_THAT(mask.elements.int32(), ElementsAre(1, 1, 1, 1, 9, 7, 5, 3, 1, -1, 1000, 0));
  EXPECT_EQ(c.tensors[Index::kResult].dtype, DType::kInt64);
  EXPECT_EQ(c.tensors[Index::kResult].strides, Dims({5, 1}));
}

TEST(Formats, PatternsOfCase1GiveTheSameValues) {
  const Tensor weights = read_kept("case-1-everything.case").tensors[Index::kWeights];
  EXPECT_EQ(weights.pattern, (Pattern{.seed = 42, .low = -5, .high = INT32_MAX}));
  ASSERT_EQ(weights.elements.size(), 40);
  EXPECT_THAT(weights.elements.int32().first(4),
              ElementsAre(1166244191, 419959050, 1238865413, 489295804));
  EXPECT_EQ(weights.elements.at(7), INT32_MIN);
  EXPECT_EQ(weights.elements.at(39), 0);
}

TEST(Formats, StepsOfCase1ChangeWhatTheyName) {
  const Case c = read_kept("case-1-everything.case");
  ASSERT_EQ(c.later_steps.size(), 2U);
  ASSERT_EQ(c.later_steps[0].changes.size(), 2U);
  const Step::Change& weights = c.later_steps[0].changes[0];
  EXPECT_EQ(weights.tensor, Index::kWeights);
  ASSERT_EQ(weights.elements.size(), 40);
  for (int64_t i = 0; i < 39; ++i) EXPECT_EQ(weights.elements.at(i), 3 + 2 * i);
  EXPECT_EQ(weights.elements.at(39), -7);
  EXPECT_EQ(c.later_steps[0].changes[1].tensor, Index::kIndices);
  EXPECT_THAT(c.later_steps[0].changes[1].elements.int64(), ElementsAre(3, -4));
  EXPECT_THAT(c.later_steps[1].changes, IsEmpty());
}

TEST(Formats, Case1KeepsWhatIsToBeRefused) {
  const Case c = read_kept("case-1-refused.case");
  EXPECT_EQ(c.expect, Expect::kRefused);
  EXPECT_EQ(c.mode, Mode::kShortWorkspace);
  EXPECT_EQ(c.backend, BackendKind::kCuda);
  EXPECT_THAT(c.call_faults,
              ElementsAre(CallFault{.kind = CallFaultKind::kNull, .tensor = Index::kWeights},
                          CallFault{.kind = CallFaultKind::kOverlap,
                                    .tensor = Index::kResult,
                                    .other = Index::kIndices},
                          CallFault{.kind = CallFaultKind::kShortWorkspace}));
  EXPECT_THAT(c.scalars, ElementsAre(9, 13));
  EXPECT_THAT(c.dims, ElementsAre(0, 2));
  EXPECT_EQ(c.tensors[Index::kIndices].dtype, DType::kInt32);
  EXPECT_FALSE(c.tensors[Index::kMask].present);
  EXPECT_THAT(c.tensors[Index::kWeights].elements.int32(), ElementsAre(5, 5));
}

TEST(Formats, Case1KeepsWhatIsToBeSurvived) {
  const Case c = read_kept("case-1-survived.case");
  EXPECT_EQ(c.expect, Expect::kSurvived);
  EXPECT_THAT(c.tensors[Index::kMask].elements.int32(), ElementsAre(-2, 0, 1001));
  EXPECT_EQ(c.seed, 0U);
  EXPECT_EQ(c.mode, Mode::kPlain);
  EXPECT_EQ(c.backend, BackendKind::kAny);
}

// Digests name files of corpora and states: they may not change either.
TEST(Formats, DigestsOfCase1Stay) {
  EXPECT_EQ(case_digest(read_kept("case-1-everything.case")), "5fb01fec324b07f0");
  EXPECT_EQ(case_digest(read_kept("case-1-refused.case")), "977475cd8a955020");
  EXPECT_EQ(case_digest(read_kept("case-1-survived.case")), "4a78a000c646a494");
}

class FormatFiles : public TempFolder {};

TEST_F(FormatFiles, Sweep1StatesWhichPartsPassed) {
  fs::copy_file(path_of("sweep-1-parts.sweep"), path("a.sweep"));
  const SweepIdentity identity = {.op = "an_op",
                                  .world = "small",
                                  .backend = "host",
                                  .candidate = "/a path/with check in it.so",
                                  .version = "0123456789abcdef"};
  const SweepRecords records = load_sweep_records(folder_.string(), identity, 12);
  EXPECT_THAT(records.errors, IsEmpty());
  EXPECT_EQ(records.num_files, 1);
  PartSet expect(12);
  for (const int64_t part : {0, 1, 2, 5, 10, 11}) expect.add(part);
  EXPECT_EQ(records.passed, expect);
}

TEST(Formats, JournalOwner1SaysWhoseTheCasesAre) {
  const auto owner = read_owner(read_file(path_of("journal-1-owner")));
  ASSERT_TRUE(owner);
  EXPECT_EQ(*owner, (JournalOwner{.version = "0.1.0",
                                  .op = "an_op",
                                  .candidate = "/a path/lib.so",
                                  .backend = "cuda",
                                  .pid = 4711}));
}

std::vector<std::byte> bytes_of_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

TEST(Formats, JournalBatch1HoldsWhatWasOnItsWay) {
  std::vector<std::byte> bytes = bytes_of_hex(read_file(path_of("journal-1-batch.hex")));
  const FoundBatch found = find_batch(bytes);
  ASSERT_EQ(found.state, FoundBatch::State::kWhole);
  EXPECT_EQ(found.kind, BatchKind::kFiles);
  const std::string body(reinterpret_cast<const char*>(found.body.data()), found.body.size());
  EXPECT_EQ(body, "a.case\nb.case\n");
  bytes.back() = std::byte{0};
  EXPECT_EQ(find_batch(bytes).state, FoundBatch::State::kTorn);
}

// The number behind the first line's format name.
int64_t version_in(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return std::stoll(line.substr(line.rfind(' ') + 1));
}

std::string written_batch(const std::string& path) {
  BatchFile file(path);
  const std::string body = "a.case\nb.case\n";
  EXPECT_EQ(file.write(BatchKind::kFiles, std::as_bytes(std::span(body))), std::nullopt);
  return read_file(path).substr(0, 32 + body.size());
}

// As they are written today, by the beginning of their files' names.
std::vector<std::pair<std::string, int64_t>> current_versions(const std::string& batch_path) {
  return {{"case-", kCaseFormatVersion},
          {"sweep-", version_in(sweep_record_text({}, PartSet(0)))},
          {"journal-", version_in(write_owner({}))},
          {"journal-", written_batch(batch_path)[7] - '0'},
          {"state-", version_in(kStateFormat)}};
}

bool is_kept(const std::string& beginning) {
  for (const auto& entry : fs::directory_iterator(BYTEGATE_FORMATS)) {
    if (entry.path().filename().string().starts_with(beginning)) return true;
  }
  return false;
}

TEST_F(FormatFiles, OfEveryVersionThatWasEverWrittenAreKept) {
  for (const auto& [format, version] : current_versions(path("batch"))) {
    ASSERT_GE(version, 1) << format;
    for (int64_t v = 1; v <= version; ++v) {
      const std::string beginning = format + std::to_string(v) + "-";
      EXPECT_TRUE(is_kept(beginning))
          << "no file " << beginning << "* in " << BYTEGATE_FORMATS
          << ": keep one, and add a test that reads it to the last value";
    }
    EXPECT_FALSE(is_kept(format + std::to_string(version + 1) + "-"))
        << "a file of a version that nobody writes yet";
  }
}

// What is written today is what is kept: another layout under the same number would be a version
// that no reader can tell.
TEST_F(FormatFiles, OfTheCurrentVersionAreWrittenByteForByte) {
  PartSet passed(12);
  for (const int64_t part : {0, 1, 2, 5, 10, 11}) passed.add(part);
  const std::string sweep = sweep_record_text({.op = "an_op",
                                               .world = "small",
                                               .backend = "host",
                                               .candidate = "/a path/with check in it.so",
                                               .version = "0123456789abcdef"},
                                              passed);
  EXPECT_EQ(sweep, read_file(path_of("sweep-1-parts.sweep")));
  const std::string owner = write_owner({.version = "0.1.0",
                                         .op = "an_op",
                                         .candidate = "/a path/lib.so",
                                         .backend = "cuda",
                                         .pid = 4711});
  EXPECT_EQ(owner, read_file(path_of("journal-1-owner")));
  const std::string batch = written_batch(path("batch"));
  const std::vector<std::byte> kept = bytes_of_hex(read_file(path_of("journal-1-batch.hex")));
  ASSERT_EQ(batch.size(), kept.size());
  EXPECT_EQ(std::memcmp(batch.data(), kept.data(), kept.size()), 0);
  for (const char* name : {"case-1-refused.case", "case-1-survived.case"}) {
    EXPECT_EQ(write_case(read_kept(name)), read_file(path_of(name))) << name;
  }
}

}  // namespace
}  // namespace bytegate
