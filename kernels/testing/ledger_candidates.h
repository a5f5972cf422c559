// Candidates for the operation `ledger`: the right one, and one for each way to be wrong.
#pragma once

#include <cstdint>

#include "kernels/candidate.h"

namespace bytegate {

enum class LedgerFlaw : uint8_t {
  kNone,
  kOneTooLarge,          // scaled is 1 too large where the table has more than 5
  kWritesUnstated,       // no flaw: writes where the contract states nothing
  kForgetsLastSum,       // never writes the last of more than two sums
  kForgetsScaled,        // never writes a cell of the table
  kWritesPastSums,       // one byte after the last sum
  kWritesBeforeScaled,   // one byte before the first cell
  kWritesIntoGaps,       // one cell after each row that has a gap
  kChangesKeys,          // leaves the first key changed
  kWritesPastWorkspace,  // one byte
  kTrustsWorkspace,      // takes it for zeroed
  kRefusesThreeRows,     // refuses more than two rows
  kRefusesInSilence,     // refuses what it must, but never says why
  kTakesNull,            // does not check for null
  kTakesOverlap,         // does not check for overlaps
  kTakesShortWorkspace,  // does not check the size of the workspace
  kTakesAnyScale,        // does not check the scalar
  kTakesFewColumns,      // declares more than two columns unsupported
  kRemembersKeys,        // takes the keys of its first call for those of every call
  kDivergesAtBarrier,    // its kernel does
  kWaitsForever,         // its kernel does
  kFillsWholeWidth,      // writes every column of spread, also those that are kept
  kWritesColumnTooMany,  // writes the first column of spread that is kept
  kHidesPath,            // no flaw: does not say which path it took
  kNumFlaws,
};

const bytegate_candidate& ledger_candidate(LedgerFlaw flaw);

}  // namespace bytegate
