#include "kernels/library_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace bytegate {
namespace {

using ::testing::HasSubstr;

std::string library(const std::string& name) {
  return std::string(BYTEGATE_TEST_LIBRARIES) + "/" + name + ".so";
}

void expect_error(const std::string& name, const std::string& error) {
  EXPECT_EQ(probe_library(library(name)), library(name) + ": " + error);
}

TEST(LibraryProbe, ALibraryThatLoadsHasNoError) {
  EXPECT_EQ(probe_library(BYTEGATE_SCHEDULE_RIGHT), "");
  // What it does when it runs is another matter.
  EXPECT_EQ(probe_library(library("crashes")), "");
}

TEST(LibraryProbe, WhatLoadingSaysIsSaidHereToo) {
  expect_error("no_symbol", "no symbol bytegate_get_candidate");
  expect_error("no_run_function", "candidate has no run function");
  EXPECT_THAT(probe_library("/nowhere/libmine.so"), HasSubstr("No such file"));
}

TEST(LibraryProbe, AConstructorThatAbortsDoesNotTakeThisProcessWithIt) {
  expect_error("aborts_in_constructor", "does not load: killed by signal 6 (Aborted)");
}

TEST(LibraryProbe, AnEntryPointThatExitsDoesNotEndThisProcess) {
  expect_error("exits_in_entry_point", "does not load: exited with code 7");
}

TEST(LibraryProbe, AnOpenThatCrashesIsAnError) {
  expect_error("crashes_in_open", "does not load: killed by signal 11 (Segmentation fault)");
}

TEST(LibraryProbe, AConstructorThatHangsIsEndedInTime) {
  const std::string path = library("hangs_in_constructor");
  EXPECT_EQ(probe_library(path, std::chrono::milliseconds(300)),
            path + ": does not load: no result within 300 ms");
}

TEST(LibraryProbe, AConstructorThatWritesIsHeardButNotSeen) {
  testing::internal::CaptureStdout();
  const std::string path = library("writes_in_constructor");
  EXPECT_EQ(probe_library(path), "wrote to stdout or stderr: hello from the library");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace bytegate
