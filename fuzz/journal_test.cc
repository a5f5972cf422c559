#include "fuzz/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/interrupted.h"
#include "oracles/case_text.h"
#include "oracles/testing/temp_folder.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kVersion = "1.2.3";

JournalOwner ledger_owner() {
  return {.version = kVersion,
          .op = std::string(ledger_op().name),
          .candidate = "production",
          .backend = "host",
          .pid = 123};
}

std::vector<Case> two_cases() {
  Case other = make_ledger_case(3, 2);
  other.mode = Mode::kAgain;
  other.origin = "mismatch:sums";
  return {make_ledger_case(1, 1), other};
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class JournalTest : public TempFolder {
 protected:
  // What a run leaves that ends with the two cases on their way.
  void leave_batch(const JournalOwner& owner = ledger_owner()) const {
    const Journal::Result opened = Journal::open(folder_.string(), owner, 2);
    ASSERT_NE(opened.journal, nullptr) << opened.error;
    EXPECT_EQ(opened.journal->write(0, two_cases()), std::nullopt);
  }
  [[nodiscard]] fs::path run() const { return folder_ / ".running/run-123-0"; }
  [[nodiscard]] PickedUp picked_up() const {
    const std::array<const Op*, 1> ops = {&ledger_op()};
    return pick_up(folder_.string(), kVersion, ops);
  }
};

TEST_F(JournalTest, ACaseThatWasRunningIsFoundAgain) {
  leave_batch();
  const PickedUp found = picked_up();
  EXPECT_THAT(found.errors, IsEmpty());
  ASSERT_THAT(found.runs, SizeIs(1));
  EXPECT_EQ(found.runs[0].owner, ledger_owner());
  EXPECT_EQ(found.runs[0].op, &ledger_op());
  ASSERT_THAT(found.runs[0].batches, SizeIs(1));
  EXPECT_EQ(found.runs[0].batches[0].cases, two_cases());
  EXPECT_EQ(describe(found.runs[0], 2),
            "2 cases that were running when a run ended (pid 123, candidate production, host)");
}

TEST_F(JournalTest, ItIsFoundUntilItIsForgotten) {
  leave_batch();
  EXPECT_THAT(picked_up().runs, SizeIs(1));
  {
    const PickedUp found = picked_up();
    ASSERT_THAT(found.runs, SizeIs(1));
    found.runs[0].batches[0].forget();
  }
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_FALSE(fs::exists(folder_ / ".running"));
}

TEST_F(JournalTest, ARunThatSettledItsBatchesLeavesNothing) {
  const std::string findings = path("new/findings");
  {
    const Journal::Result opened = Journal::open(findings, ledger_owner(), 2);
    ASSERT_NE(opened.journal, nullptr) << opened.error;
    for (int round = 0; round < 3; ++round) {
      for (size_t slot = 0; slot < 2; ++slot) {
        EXPECT_EQ(opened.journal->write(slot, two_cases()), std::nullopt);
        opened.journal->clear(slot);
      }
    }
  }
  EXPECT_FALSE(fs::exists(findings));
}

TEST_F(JournalTest, ABatchLargerThanAllBeforeHasRoom) {
  {
    const Journal::Result opened = Journal::open(folder_.string(), ledger_owner(), 1);
    EXPECT_EQ(opened.journal->write(0, two_cases()), std::nullopt);
    opened.journal->clear(0);
    const Case large = make_ledger_case(50000, 3);
    EXPECT_EQ(opened.journal->write(0, std::vector<Case>{large, large}), std::nullopt);
  }
  const PickedUp found = picked_up();
  ASSERT_THAT(found.runs, SizeIs(1));
  EXPECT_EQ(found.runs[0].num_cases(), 2);
}

TEST_F(JournalTest, CasesOfFilesAreNamedByTheirFiles) {
  {
    const Journal::Result opened = Journal::open(folder_.string(), ledger_owner(), 1);
    EXPECT_EQ(opened.journal->write(0, std::vector<std::string>{"a b.case", "c.case"}),
              std::nullopt);
  }
  const PickedUp found = picked_up();
  ASSERT_THAT(found.runs, SizeIs(1));
  EXPECT_THAT(found.runs[0].files, ElementsAre("a b.case", "c.case"));
  EXPECT_THAT(found.runs[0].batches, IsEmpty());
}

TEST_F(JournalTest, AFolderThatCannotBeMadeIsSaid) {
  write_file(path("file"), "x");
  const Journal::Result opened = Journal::open(path("file"), ledger_owner(), 1);
  EXPECT_EQ(opened.journal, nullptr);
  EXPECT_THAT(opened.error, HasSubstr("file/.running"));
}

// A process with an open journal, and a child of it, which is what a worker is.
struct LiveRun {
  pid_t run = -1;
  pid_t worker = -1;
};

LiveRun start_live_run(const std::string& findings) {
  std::array<int, 2> ends = {};
  LiveRun live;
  if (pipe(ends.data()) != 0) return live;
  live.run = fork();
  if (live.run == 0) {
    const Journal::Result opened = Journal::open(findings, ledger_owner(), 1);
    if (opened.journal == nullptr || opened.journal->write(0, two_cases())) _exit(1);
    const pid_t worker = fork();
    if (worker == 0) {
      close(ends[1]);
      for (;;) pause();
    }
    if (write(ends[1], &worker, sizeof worker) != ssize_t{sizeof worker}) _exit(1);
    for (;;) pause();
  }
  close(ends[1]);
  EXPECT_EQ(read(ends[0], &live.worker, sizeof live.worker), ssize_t{sizeof live.worker});
  close(ends[0]);
  return live;
}

TEST_F(JournalTest, ALiveRunKeepsItsCasesAndADeadOneDoesNotWhateverItsWorkersDo) {
  const LiveRun live = start_live_run(folder_.string());
  ASSERT_GT(live.worker, 0);
  EXPECT_THAT(picked_up().runs, IsEmpty());
  EXPECT_TRUE(fs::exists(run() / "batch-0"));
  kill(live.run, SIGKILL);
  waitpid(live.run, nullptr, 0);
  const PickedUp found = picked_up();
  kill(live.worker, SIGKILL);
  ASSERT_THAT(found.runs, SizeIs(1));
  EXPECT_EQ(found.runs[0].batches[0].cases, two_cases());
}

TEST_F(JournalTest, ATornBodyWasNotHandedOut) {
  leave_batch();
  std::string bytes = read_file(run() / "batch-0");
  bytes[100] = static_cast<char>(bytes[100] + 1);
  write_file(run() / "batch-0", bytes);
  const PickedUp found = picked_up();
  EXPECT_THAT(found.runs, IsEmpty());
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(JournalTest, ARunThatEndedAsItBeganLeavesNothing) {
  fs::create_directories(folder_ / ".running/run-1-0");
  fs::create_directories(run());
  write_file(run() / "owner", "");
  EXPECT_THAT(picked_up().errors, IsEmpty());
  EXPECT_FALSE(fs::exists(folder_ / ".running"));
}

TEST_F(JournalTest, AnotherVersionsJournalIsSetAsideAndSaid) {
  JournalOwner owner = ledger_owner();
  owner.version = "0.9";
  leave_batch(owner);
  const PickedUp found = picked_up();
  EXPECT_THAT(found.runs, IsEmpty());
  EXPECT_THAT(found.errors, IsEmpty());
  EXPECT_THAT(found.foreign, ElementsAre(HasSubstr("is a journal of bytegate 0.9, which this one "
                                                   "does not read; kept as " +
                                                   path(".running/unreadable-run-123-0-0"))));
  EXPECT_TRUE(fs::exists(folder_ / ".running/unreadable-run-123-0-0/batch-0"));
  EXPECT_THAT(picked_up().foreign, IsEmpty()) << "said twice";
}

TEST_F(JournalTest, AnOperationThatIsNotKnownIsSetAsideAndSaid) {
  JournalOwner owner = ledger_owner();
  owner.op = "another";
  leave_batch(owner);
  EXPECT_THAT(picked_up().errors, ElementsAre(HasSubstr("the operation another, not known")));
}

TEST_F(JournalTest, GarbageInPlaceOfABatchIsSetAsideAndTheOthersAreFound) {
  leave_batch();
  write_file(run() / "batch-1", "no batch");
  const PickedUp found = picked_up();
  ASSERT_THAT(found.runs, SizeIs(1));
  EXPECT_EQ(found.runs[0].num_cases(), 2);
  EXPECT_THAT(found.errors, ElementsAre(HasSubstr("batch-1: does not hold cases of ledger")));
  EXPECT_EQ(read_file(path(".running/unreadable-run-123-0-batch-1-0")), "no batch");
}

TEST_F(JournalTest, AStrangeFileIsSetAsideAndSaid) {
  fs::create_directories(folder_ / ".running");
  write_file(folder_ / ".running/notes", "x");
  EXPECT_THAT(picked_up().errors, ElementsAre(HasSubstr("is not the journal of a run")));
}

TEST_F(JournalTest, NoOwnerIsReadFromAnyOtherText) {
  const std::string text = write_owner(ledger_owner());
  EXPECT_EQ(read_owner(text), ledger_owner());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(read_owner(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_owner(text + "x"));
}

// Whatever the bytes, a batch is found as it was, or not at all.
TEST_F(JournalTest, AnyBytesOfABatchAreTheCasesOrNone) {
  leave_batch();
  const std::string whole = read_file(run() / "batch-0");
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    const size_t place = random() % (round % 3 == 0 ? 32 : 600);
    bytes[place] = static_cast<char>(random());
    if (round % 5 == 0) bytes.resize(random() % 600);
    const FoundBatch found = find_batch(std::as_bytes(std::span<const char>(bytes)));
    if (found.state != FoundBatch::State::kWhole) continue;
    EXPECT_EQ(bytes.substr(0, 32), whole.substr(0, 32));
    EXPECT_TRUE(std::equal(found.body.begin(), found.body.end(),
                           std::as_bytes(std::span<const char>(whole)).begin() + 32));
  }
}

TEST_F(JournalTest, CasesOfAnotherCandidateAreSavedAsFiles) {
  JournalOwner owner = ledger_owner();
  owner.candidate = "/else/where.so";
  leave_batch(owner);
  {
    const PickedUp found = picked_up();
    ASSERT_THAT(found.runs, SizeIs(1));
    EXPECT_THAT(save_interrupted(folder_.string(), found.runs[0]), IsEmpty());
  }
  EXPECT_FALSE(fs::exists(folder_ / ".running"));
  EXPECT_THAT(files(), SizeIs(2));
  const std::array<const Op*, 1> ops = {&ledger_op()};
  for (const Case& expect : two_cases()) {
    const std::string file =
        interrupted_folder(folder_.string(), ledger_op()) + "/" + case_digest(expect) + ".case";
    LoadResult loaded = load_case(file, ops);
    ASSERT_TRUE(loaded.value) << loaded.error;
    EXPECT_THAT(loaded.value->note, HasSubstr("candidate /else/where.so, host"));
    loaded.value->note = expect.note;
    EXPECT_EQ(*loaded.value, expect);
  }
}

TEST_F(JournalTest, WhatCannotBeSavedStaysInTheJournal) {
  leave_batch();
  write_file(path("ledger"), "in the way");
  EXPECT_THAT(save_interrupted(folder_.string(), picked_up().runs.at(0)),
              ElementsAre(HasSubstr("cannot create")));
  EXPECT_THAT(picked_up().runs, SizeIs(1));
}

}  // namespace
}  // namespace bytegate
