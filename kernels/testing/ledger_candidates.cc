#include "kernels/testing/ledger_candidates.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/testing/faulty_kernels.h"
#include "kernels/testing/ledger_arguments.h"

namespace bytegate {
namespace {

// What kRemembersKeys keeps between calls.
struct State {
  std::vector<int64_t> keys;
};

int64_t factor_of(const LedgerArguments& args) {
  return args.sign == 0 ? args.scale : -args.scale;
}

template <LedgerFlaw kFlaw>
void fill_sums(const LedgerArguments& args, State& state, int64_t* products) {
  std::vector<int64_t> keys;
  for (int64_t row = 0; row < args.num_rows; ++row) keys.push_back(args.key(row));
  if (kFlaw == LedgerFlaw::kRemembersKeys) {
    if (state.keys.size() != keys.size()) state.keys = keys;
    keys = state.keys;
  }
  int64_t* sums = args.sums_data();
  sums[0] = 0;
  for (int64_t row = 0; row < args.num_rows; ++row) {
    const uint64_t product =
        static_cast<uint64_t>(factor_of(args) * keys[static_cast<size_t>(row)]);
    const uint64_t old =
        kFlaw == LedgerFlaw::kTrustsWorkspace ? static_cast<uint64_t>(products[row]) : 0;
    products[row] = static_cast<int64_t>(old + product);
    if (kFlaw == LedgerFlaw::kForgetsLastSum && row > 0 && row + 1 == args.num_rows) continue;
    sums[row + 1] = static_cast<int64_t>(static_cast<uint64_t>(sums[row]) +
                                         static_cast<uint64_t>(products[row]));
  }
}

template <LedgerFlaw kFlaw>
void fill_scaled(const LedgerArguments& args) {
  for (int64_t row = 0; row < args.num_rows; ++row) {
    for (int64_t col = 0; col < args.num_cols; ++col) {
      const int64_t value = args.table_at(row, col);
      const bool stated = value >= 0;
      if (!stated && kFlaw != LedgerFlaw::kWritesUnstated) continue;
      if (kFlaw == LedgerFlaw::kForgetsScaled) continue;
      const int64_t extra = kFlaw == LedgerFlaw::kOneTooLarge && value > 5 ? 1 : 0;
      args.scaled_at(row, col) =
          static_cast<int32_t>(value * factor_of(args) + args.bias_at(col) + extra);
    }
  }
}

template <LedgerFlaw kFlaw>
void fill_spread(const LedgerArguments& args) {
  int64_t columns = args.shown;
  if (kFlaw == LedgerFlaw::kFillsWholeWidth) columns = args.width;
  if (kFlaw == LedgerFlaw::kWritesColumnTooMany) columns = std::min(args.shown + 1, args.width);
  for (int64_t row = 0; row < args.num_rows; ++row) {
    for (int64_t col = 0; col < columns; ++col) {
      const bool stated = col < args.part(row) || col >= args.shown;
      if (!stated && kFlaw != LedgerFlaw::kWritesUnstated) continue;
      args.spread_at(row, col) = static_cast<int32_t>(row + col);
    }
  }
}

void flip_byte(void* base, int64_t offset) {
  unsigned char* byte = static_cast<unsigned char*>(base) + offset;
  *byte = static_cast<unsigned char>(~*byte);
}

template <LedgerFlaw kFlaw>
void damage(const LedgerArguments& args, const bytegate_call& call) {
  const bool any_cell = args.num_rows > 0 && args.num_cols > 0;
  if (kFlaw == LedgerFlaw::kWritesPastSums) {
    flip_byte(args.sums->data, 8 * (args.num_rows + 1));
  } else if (kFlaw == LedgerFlaw::kWritesBeforeScaled && any_cell) {
    flip_byte(args.scaled->data, -1);
  } else if (kFlaw == LedgerFlaw::kWritesIntoGaps && any_cell &&
             args.scaled->strides[0] > args.num_cols) {
    for (int64_t row = 0; row + 1 < args.num_rows; ++row) args.scaled_at(row, args.num_cols) = 0;
  } else if (kFlaw == LedgerFlaw::kChangesKeys && args.num_rows > 0) {
    args.key(0) += 1;
  } else if (kFlaw == LedgerFlaw::kWritesPastWorkspace && call.workspace != nullptr) {
    flip_byte(call.workspace, static_cast<int64_t>(ledger_workspace_bytes(args.num_rows)));
  }
}

template <LedgerFlaw kFlaw>
std::optional<std::string> error_of(const LedgerArguments& args, const bytegate_call& call) {
  std::optional<std::string> error = ledger_shown_error(args);
  if (!error && kFlaw != LedgerFlaw::kTakesAnyScale) error = ledger_scale_error(args);
  if (!error && kFlaw != LedgerFlaw::kTakesNull) error = ledger_null_error(args);
  if (!error && kFlaw != LedgerFlaw::kTakesOverlap) error = ledger_overlap_error(args);
  if (!error && kFlaw != LedgerFlaw::kTakesShortWorkspace) {
    error = ledger_workspace_error(args, call);
  }
  if (!error && kFlaw == LedgerFlaw::kRefusesThreeRows && args.num_rows > 2) {
    error = "more than two rows";
  }
  if (!error && call.forced_path != nullptr && std::string_view(call.forced_path) != "serial") {
    error = "no such path";
  }
  return error;
}

template <LedgerFlaw kFlaw>
int32_t run(void* state, bytegate_call* call) {
  CallReader reader(*call);
  const LedgerArguments args = read_ledger(reader);
  if (reader.failed()) return reader.report_invalid();
  if (const auto error = error_of<kFlaw>(args, *call)) {
    if (kFlaw == LedgerFlaw::kRefusesInSilence) return BYTEGATE_INVALID_ARGUMENT;
    return reader.report(BYTEGATE_INVALID_ARGUMENT, *error);
  }
  if (kFlaw != LedgerFlaw::kHidesPath) reader.set_path("serial");
  if (kFlaw == LedgerFlaw::kDivergesAtBarrier) return run_diverging_kernel(reader);
  if (kFlaw == LedgerFlaw::kWaitsForever) return run_waiting_kernel(reader);
  if (args.any_null()) return BYTEGATE_OK;
  fill_sums<kFlaw>(args, *static_cast<State*>(state), static_cast<int64_t*>(call->workspace));
  fill_scaled<kFlaw>(args);
  fill_spread<kFlaw>(args);
  damage<kFlaw>(args, *call);
  return BYTEGATE_OK;
}

int32_t open(void** state, char*, uint64_t) {
  *state = new State();
  return BYTEGATE_OK;
}
void close(void* state) {
  delete static_cast<State*>(state);
}

template <LedgerFlaw kFlaw>
int32_t supports(void*, bytegate_call* call) {
  CallReader reader(*call);
  const DLTensor* table = reader.tensor("table", 2, 32);
  if (kFlaw != LedgerFlaw::kTakesFewColumns || table == nullptr || table->shape[1] <= 2) {
    return BYTEGATE_OK;
  }
  return reader.report(BYTEGATE_UNSUPPORTED, "more than two columns");
}

int32_t workspace_bytes(void*, bytegate_call* call, uint64_t* bytes) {
  CallReader reader(*call);
  const DLTensor* keys = reader.tensor("keys", 1, 64);
  if (reader.failed()) return reader.report_invalid();
  *bytes = ledger_workspace_bytes(keys->shape[0]);
  return BYTEGATE_OK;
}

constexpr std::array<const char*, 2> kPaths = {"serial", nullptr};

template <LedgerFlaw kFlaw>
constexpr bytegate_candidate kTable = {.interface_version = BYTEGATE_INTERFACE_VERSION,
                                       .backends = BYTEGATE_BACKEND_HOST,
                                       .name = "ledger",
                                       .version = "test",
                                       .paths = kPaths.data(),
                                       .open = open,
                                       .close = close,
                                       .supports = supports<kFlaw>,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run<kFlaw>};

constexpr size_t kNumFlaws = static_cast<size_t>(LedgerFlaw::kNumFlaws);

template <size_t... kFlaws>
constexpr std::array<const bytegate_candidate*, kNumFlaws> all_tables(
    std::index_sequence<kFlaws...>) {
  return {&kTable<static_cast<LedgerFlaw>(kFlaws)>...};
}

}  // namespace

const bytegate_candidate& ledger_candidate(LedgerFlaw flaw) {
  static constexpr auto tables = all_tables(std::make_index_sequence<kNumFlaws>());
  return *tables[static_cast<size_t>(flaw)];
}

}  // namespace bytegate
