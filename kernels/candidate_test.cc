#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "kernels/candidate_handle.h"
#include "kernels/testing/candidates.h"

namespace bytegate {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string library(const std::string& name) {
  return std::string(BYTEGATE_TEST_LIBRARIES) + "/" + name + ".so";
}

std::string load_error(const std::string& path) {
  const Candidate::Result result = Candidate::load(path);
  EXPECT_EQ(result.candidate, nullptr);
  return result.error;
}

int32_t run_nothing(void*, bytegate_call*) {
  return BYTEGATE_OK;
}

std::string open_error(const bytegate_candidate& table) {
  const Candidate::Result result = Candidate::open(table);
  EXPECT_EQ(result.candidate, nullptr);
  return result.error;
}

TEST(CandidateLoad, AMissingFileIsNamed) {
  const std::string error = load_error("/nowhere/libmine.so");
  EXPECT_THAT(error, StartsWith("cannot load candidate: "));
  EXPECT_THAT(error, HasSubstr("/nowhere/libmine.so"));
  EXPECT_THAT(error, HasSubstr("No such file"));
}

TEST(CandidateLoad, APathWithoutASlashIsNotSearchedForInTheSystem) {
  // libc.so.6 would be found there.
  EXPECT_THAT(load_error("libc.so.6"), HasSubstr("No such file"));
}

TEST(CandidateLoad, AFileThatIsNoLibraryIsSaidToBeNone) {
  const std::string path = ::testing::TempDir() + "bytegate_garbage.so";
  std::ofstream(path) << "int main() { return 0; }\n";
  const std::string error = load_error(path);
  std::filesystem::remove(path);
  EXPECT_THAT(error, StartsWith("cannot load candidate: "));
  EXPECT_THAT(error, HasSubstr(path));
}

TEST(CandidateLoad, ALibraryWithoutTheEntryPointIsSaidToLackIt) {
  const std::string path = library("no_symbol");
  EXPECT_EQ(load_error(path), path + ": no symbol bytegate_get_candidate");
}

TEST(CandidateLoad, AnotherInterfaceVersionIsRefusedByName) {
  EXPECT_THAT(load_error(library("other_version")),
              EndsWith("other_version.so: candidate speaks interface version 2, this bytegate "
                       "speaks version 1"));
}

TEST(CandidateLoad, ANullTableIsRefused) {
  EXPECT_THAT(load_error(library("null_table")),
              EndsWith("null_table.so: bytegate_get_candidate() returned null"));
}

TEST(CandidateLoad, ATableWithoutARunFunctionIsRefused) {
  EXPECT_THAT(load_error(library("no_run_function")),
              EndsWith("no_run_function.so: candidate has no run function"));
}

TEST(CandidateLoad, ALibraryBuiltElsewhereIsOpened) {
  const Candidate::Result result = Candidate::load(BYTEGATE_SCHEDULE_RIGHT);
  ASSERT_NE(result.candidate, nullptr) << result.error;
  EXPECT_EQ(result.candidate->name(), "schedule_right");
  EXPECT_TRUE(result.candidate->runs_on(BackendKind::kHost));
  EXPECT_FALSE(result.candidate->runs_on(BackendKind::kCuda));
}

TEST(CandidateOpen, EveryDefectOfATableHasItsOwnMessage) {
  const bytegate_candidate good = host_table("good", run_nothing);
  EXPECT_NE(Candidate::open(good).candidate, nullptr);
  bytegate_candidate table = good;
  table.name = nullptr;
  EXPECT_EQ(open_error(table), "candidate has no name or version");
  table = good;
  table.version = nullptr;
  EXPECT_EQ(open_error(table), "candidate has no name or version");
  table = good;
  table.backends = 4;
  EXPECT_EQ(open_error(table), "candidate runs on no backend known here");
  table = good;
  table.close = [](void*) {};
  EXPECT_EQ(open_error(table), "candidate has close, but no open");
}

TEST(CandidateOpen, AnOpenThatFailsSaysWhyAndIsNotClosed) {
  bytegate_candidate table = host_table("shy", run_nothing);
  table.open = [](void**, char* message, uint64_t message_bytes) -> int32_t {
    std::snprintf(message, message_bytes, "not today");
    return BYTEGATE_INTERNAL_ERROR;
  };
  table.close = [](void*) { FAIL() << "closed what never opened"; };
  EXPECT_EQ(open_error(table), "candidate shy does not open (status 6): not today");
}

TEST(CandidateOpen, TheStateIsClosedOnce) {
  static int num_open = 0;
  bytegate_candidate table = host_table("stateful", run_nothing);
  table.open = [](void** state, char*, uint64_t) -> int32_t {
    *state = &num_open;
    ++num_open;
    return BYTEGATE_OK;
  };
  table.close = [](void* state) { --*static_cast<int*>(state); };
  {
    const auto first = open_candidate(table);
    const auto second = open_candidate(table);
    EXPECT_EQ(num_open, 2);
    EXPECT_EQ(first->state(), &num_open);
  }
  EXPECT_EQ(num_open, 0);
}

}  // namespace
}  // namespace bytegate
