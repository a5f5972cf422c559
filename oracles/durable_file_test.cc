#include "oracles/durable_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "oracles/file_bytes.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DurableFile : public TempFolder {};

TEST_F(DurableFile, FoldersAreMadeWithThoseThatTheyAreIn) {
  EXPECT_EQ(make_folders_durably(path("a/b/c")), std::nullopt);
  EXPECT_TRUE(fs::is_directory(path("a/b/c")));
  EXPECT_EQ(make_folders_durably(path("a/b/c")), std::nullopt);
  EXPECT_EQ(make_folders_durably(""), std::nullopt);
}

TEST_F(DurableFile, AFileInThePlaceOfAFolderIsNamed) {
  std::ofstream(path("a")) << "file";
  EXPECT_THAT(make_folders_durably(path("a/b")).value_or(""), HasSubstr(path("a")));
  EXPECT_THAT(make_folders_durably(path("a")).value_or(""), HasSubstr(path("a")));
}

TEST_F(DurableFile, WhatIsWrittenIsReadWithEveryByte) {
  std::string bytes(200000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  EXPECT_EQ(write_durably(path("a"), bytes), std::nullopt);
  EXPECT_EQ(file_bytes(path("a")), bytes);
  EXPECT_EQ(write_durably(path("a"), ""), std::nullopt);
  EXPECT_EQ(file_bytes(path("a")), "");
}

TEST_F(DurableFile, WhatCannotBeReadGivesNothing) {
  EXPECT_EQ(file_bytes(path("none")), std::nullopt);
  EXPECT_EQ(file_bytes(folder_.string()), std::nullopt);
}

}  // namespace
}  // namespace bytegate
