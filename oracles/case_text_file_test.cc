#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "oracles/case_text.h"
#include "oracles/durable_file.h"
#include "oracles/file_lock.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;

const Op* const kOps[] = {&paged_mqa_metadata_op()};

class CaseFile : public TempFolder {
 protected:
  [[nodiscard]] std::ptrdiff_t num_files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(CaseFile, WhatIsSavedIsLoaded) {
  const Case c = make_paged_mqa_metadata_case({1, 2, 3}, 4);
  EXPECT_EQ(save_case(path("a.case"), c), std::nullopt);
  EXPECT_EQ(bytes_of(path("a.case")), write_case(c));
  const LoadResult result = load_case(path("a.case"), kOps);
  ASSERT_TRUE(result.value.has_value()) << result.error;
  EXPECT_EQ(*result.value, c);
  EXPECT_EQ(num_files(), 1);
}

TEST_F(CaseFile, ErrorsOfTheTextNamePathAndLine) {
  std::ofstream(path("a.case")) << "bytegate-case 1\nop other\n";
  EXPECT_THAT(load_case(path("a.case"), kOps).error,
              StartsWith(path("a.case") + ": line 2: op: unknown operation 'other'"));
}

TEST_F(CaseFile, WhatIsNoReadableFileIsNamed) {
  EXPECT_EQ(load_case(path("none"), kOps).error, path("none") + ": No such file or directory");
  EXPECT_EQ(load_case(path("."), kOps).error, path(".") + ": is a directory");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(load_case(path("pipe"), kOps).error, path("pipe") + ": is not a regular file");
  EXPECT_THAT(load_case("", kOps).error, HasSubstr("No such file"));
}

TEST_F(CaseFile, AFileOverTheLimitIsNotRead) {
  std::ofstream(path("big")).put('x');
  fs::resize_file(path("big"), kMaxCaseFileBytes + 1);
  EXPECT_THAT(load_case(path("big"), kOps).error, HasSubstr("longer than the 67108864 bytes"));
}

TEST_F(CaseFile, ACaseThatWouldNotLoadIsNotSaved) {
  Case c = make_paged_mqa_metadata_case({1, -2}, 4);
  EXPECT_THAT(save_case(path("a.case"), c),
              Optional(HasSubstr("could not be read back: line 7: context_lens: element")));
  EXPECT_EQ(num_files(), 0);
  c.expect = Expect::kRefused;
  EXPECT_EQ(save_case(path("a.case"), c), std::nullopt);
}

TEST_F(CaseFile, ADurableWriteReplacesTheWholeFile) {
  EXPECT_EQ(write_durably(path("a"), "a longer text"), std::nullopt);
  EXPECT_EQ(write_durably(path("a"), std::string("b\0c", 3)), std::nullopt);
  EXPECT_EQ(bytes_of(path("a")), std::string("b\0c", 3));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(CaseFile, AFailedDurableWriteLeavesNothingBehind) {
  fs::create_directory(path("folder"));
  EXPECT_THAT(write_durably(path("folder"), "x"), Optional(HasSubstr("folder: cannot rename to")));
  EXPECT_THAT(write_durably(path(std::string(300, 'n')), "x"),
              Optional(HasSubstr("cannot rename")));
  EXPECT_THAT(write_durably(path("none/a"), "x"), Optional(HasSubstr("cannot create a file")));
  EXPECT_EQ(num_files(), 1);
}

TEST_F(CaseFile, APlainFileNameIsWrittenInTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(path("."));
  const auto error = write_durably("a", "x");
  fs::current_path(before);
  EXPECT_EQ(error, std::nullopt);
  EXPECT_EQ(bytes_of(path("a")), "x");
}

TEST_F(CaseFile, WhatADeadWriterLeftIsToldFromALiveOne) {
  // A process that writes, for as long as the pipe is open.
  std::array<int, 2> ready = {};
  std::array<int, 2> done = {};
  ASSERT_EQ(pipe(ready.data()) + pipe(done.data()), 0);
  const std::string live = path(".bytegate-2-0.tmp");
  const pid_t writer = fork();
  if (writer == 0) {
    const int file = open(live.c_str(), O_WRONLY | O_CREAT, 0666);
    char byte = lock_for_process(file) ? 'y' : 'n';
    close(done[1]);
    if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 0) _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  for (const char* name : {".bytegate-1-0.tmp", "a.case", ".bytegate-1-0.tmpx", "b.tmp"}) {
    std::ofstream(path(name)) << "half";
  }
  EXPECT_EQ(remove_stale_temps(path("")), 1);
  EXPECT_FALSE(fs::exists(path(".bytegate-1-0.tmp")));
  EXPECT_TRUE(fs::exists(live));
  EXPECT_EQ(num_files(), 4);
  for (const int end : {done[1], done[0], ready[0], ready[1]}) close(end);
  waitpid(writer, nullptr, 0);
  EXPECT_EQ(remove_stale_temps(path("")), 1);
  EXPECT_FALSE(fs::exists(live));
  EXPECT_EQ(remove_stale_temps(path("none")), 0);
}

}  // namespace
}  // namespace bytegate
