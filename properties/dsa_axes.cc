#include "properties/dsa_axes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace bytegate {
namespace {

enum class Axis : uint8_t {
  kRows,
  kPage,
  kColumns,
  kLens,
  kTopk,
  kSlots,
  kSlotsLayout,
  kLensLayout,
  kDTypes,
  kClamp,
  kWidth,
  kExtends,
};
constexpr size_t kNumAxes = static_cast<size_t>(Axis::kExtends) + 1;

// Axis by axis; of each a case has one.
enum Place : uint8_t {
  kNoRow,
  kOneRow,
  kFewRows,
  kSomeRows,
  kManyRows,
  kPageOf1,
  kPageOf64,
  kPageOfPower,
  kOddPage,
  kNoColumn,
  kBelowPage,
  kWholePages,
  kShortOfPage,
  kOverPage,
  kInsidePage,
  kNoLen,
  kLenBeyondInt32,
  kNegativeLen,
  kLenAtEdge,
  kZeroOrOne,
  kOrdinaryLens,
  kNoRowLen,
  kNoneCut,
  kSomeCut,
  kAllCut,
  kNoSlot,
  kSlotAtEdge,
  kNegativeSlot,
  kUnusedSlot,
  kLiveSlots,
  kSlotsCompact,
  kSlotRowsApart,
  kSlotColumnsApart,
  kSlotColumnsFirst,
  kSlotsRepeated,
  kLensCompact,
  kLensApart,
  kLensRepeated,
  kBothInt32,
  kOnlyLensInt64,
  kOnlyPoolInt64,
  kBothInt64,
  kNoClamp,
  kClampTo0,
  kClampTo1,
  kNextN1,
  kNextN2,
  kOddNextN,
  kEvenNextN,
  kNothingExtended,
  kStatic,
  kEqualExtends,
  kExtendOf0,
  kOtherExtends,
  kNumPlaces,
};

struct PlaceSpec {
  Axis axis;
  std::string_view name;
};

constexpr std::array<PlaceSpec, kNumPlaces> kPlaces = {{
    {Axis::kRows, "no row"},
    {Axis::kRows, "1 row"},
    {Axis::kRows, "2 to 31 rows"},
    {Axis::kRows, "32 to 1023 rows"},
    {Axis::kRows, "1024 rows or more"},
    {Axis::kPage, "page of 1"},
    {Axis::kPage, "page of 64"},
    {Axis::kPage, "page of another power of two"},
    {Axis::kPage, "page of no power of two"},
    {Axis::kColumns, "no column"},
    {Axis::kColumns, "max_len below one page"},
    {Axis::kColumns, "max_len of whole pages"},
    {Axis::kColumns, "max_len one short of a page"},
    {Axis::kColumns, "max_len one over a page"},
    {Axis::kColumns, "max_len inside a page"},
    {Axis::kLens, "no length"},
    {Axis::kLens, "length past int32"},
    {Axis::kLens, "negative length"},
    {Axis::kLens, "length at the edge of int32"},
    {Axis::kLens, "lengths of 0 and 1"},
    {Axis::kLens, "ordinary lengths"},
    {Axis::kTopk, "no row length"},
    {Axis::kTopk, "no row cut by topk"},
    {Axis::kTopk, "some rows cut by topk"},
    {Axis::kTopk, "every row cut by topk"},
    {Axis::kSlots, "no slot"},
    {Axis::kSlots, "slot at the edge of int32"},
    {Axis::kSlots, "slot below -1"},
    {Axis::kSlots, "slot of -1"},
    {Axis::kSlots, "live slots"},
    {Axis::kSlotsLayout, "slots compact"},
    {Axis::kSlotsLayout, "slots with rows apart"},
    {Axis::kSlotsLayout, "slots with columns apart"},
    {Axis::kSlotsLayout, "slots with columns first"},
    {Axis::kSlotsLayout, "slots repeated"},
    {Axis::kLensLayout, "lengths compact"},
    {Axis::kLensLayout, "lengths apart"},
    {Axis::kLensLayout, "lengths repeated"},
    {Axis::kDTypes, "indices of int32"},
    {Axis::kDTypes, "seq_lens alone of int64"},
    {Axis::kDTypes, "req_pool_indices alone of int64"},
    {Axis::kDTypes, "indices of int64"},
    {Axis::kClamp, "rows not clamped"},
    {Axis::kClamp, "rows clamped to 0"},
    {Axis::kClamp, "rows clamped to 1"},
    {Axis::kWidth, "next_n of 1"},
    {Axis::kWidth, "next_n of 2"},
    {Axis::kWidth, "odd next_n above 1"},
    {Axis::kWidth, "even next_n above 2"},
    {Axis::kExtends, "nothing extended"},
    {Axis::kExtends, "static extension"},
    {Axis::kExtends, "equal extensions"},
    {Axis::kExtends, "extension of 0 among others"},
    {Axis::kExtends, "extensions that differ"},
}};

constexpr std::array<std::string_view, kNumAxes> kAxisNames = {
    "rows",         "page size",      "max_len",     "lengths",      "topk",   "slots",
    "slots layout", "lengths layout", "index types", "expanded_min", "next_n", "extensions"};

bool has_axis(const DsaDescription& description, Axis axis) {
  switch (axis) {
    case Axis::kClamp:
      return description.mode != DsaMode::kDecode;
    case Axis::kWidth:
      return description.mode == DsaMode::kTargetVerify;
    case Axis::kExtends:
      return description.mode == DsaMode::kDraftExtend;
    default:
      return true;
  }
}

// A schedule takes no negative length, which is what a row of decode is.
bool has_place(const DsaDescription& description, Place place) {
  if (place == kNegativeLen && description.entry == DsaEntry::kRefresh) {
    return description.mode != DsaMode::kDecode;
  }
  return has_axis(description, kPlaces[place].axis);
}

std::vector<Place> places_of(const Op& op) {
  std::vector<Place> places;
  for (int i = 0; i < kNumPlaces; ++i) {
    const Place place = static_cast<Place>(i);
    if (has_place(describe_dsa(op), place)) places.push_back(place);
  }
  return places;
}

Place rows_place(const DsaFacts& f) {
  const int64_t num_rows = f.view.num_rows;
  if (num_rows < 2) return num_rows == 0 ? kNoRow : kOneRow;
  if (num_rows < 32) return kFewRows;
  return num_rows < 1024 ? kSomeRows : kManyRows;
}

Place page_place(const DsaFacts& f) {
  const int64_t page = f.view.page_size;
  if (page == 1) return kPageOf1;
  if (page == 64) return kPageOf64;
  return (page & (page - 1)) == 0 ? kPageOfPower : kOddPage;
}

Place columns_place(const DsaFacts& f) {
  if (f.view.max_len == 0) return kNoColumn;
  if (f.view.max_len < f.view.page_size) return kBelowPage;
  const int64_t inside = f.view.max_len % f.view.page_size;
  if (inside == 0) return kWholePages;
  if (inside == f.view.page_size - 1) return kShortOfPage;
  return inside == 1 ? kOverPage : kInsidePage;
}

Place lens_place(const DsaFacts& f) {
  constexpr int32_t kEdge = INT32_MAX - 300;
  if (f.view.num_rows == 0) return kNoLen;
  if (f.served_beyond_int32) return kLenBeyondInt32;
  if (f.lowest_len < 0) return kNegativeLen;
  if (f.highest_len >= kEdge) return kLenAtEdge;
  return f.highest_len <= 1 ? kZeroOrOne : kOrdinaryLens;
}

Place topk_place(const DsaFacts& f) {
  if (f.view.num_rows == 0) return kNoRowLen;
  if (!f.topk_cuts) return kNoneCut;
  return f.topk_spares ? kSomeCut : kAllCut;
}

Place slots_place(const DsaFacts& f) {
  if (f.lowest_slot > f.highest_slot) return kNoSlot;
  if (f.lowest_slot == INT32_MIN || f.highest_slot == INT32_MAX) return kSlotAtEdge;
  if (f.lowest_slot < -1) return kNegativeSlot;
  return f.lowest_slot == -1 ? kUnusedSlot : kLiveSlots;
}

Place slots_layout_place(const DsaFacts& f) {
  const Tensor& slots = f.c.tensors[static_cast<size_t>(f.view.tensors.req_to_token)];
  const bool many_rows = slots.shape[0] > 1;
  const bool many_columns = slots.shape[1] > 1;
  if ((many_rows && slots.strides[0] == 0) || (many_columns && slots.strides[1] == 0)) {
    return kSlotsRepeated;
  }
  if (is_compact(slots)) return kSlotsCompact;
  if (many_rows && many_columns && slots.strides[0] < slots.strides[1]) return kSlotColumnsFirst;
  return many_columns && slots.strides[1] != 1 ? kSlotColumnsApart : kSlotRowsApart;
}

Place lens_layout_place(const DsaFacts& f) {
  const Tensor& lens = f.c.tensors[static_cast<size_t>(f.view.tensors.seq_lens)];
  if (lens.shape[0] > 1 && lens.strides[0] == 0) return kLensRepeated;
  return is_compact(lens) ? kLensCompact : kLensApart;
}

Place dtypes_place(const DsaFacts& f) {
  const auto is_wide = [&](int tensor) {
    return f.c.tensors[static_cast<size_t>(tensor)].dtype == DType::kInt64;
  };
  const bool wide_pool = is_wide(f.view.tensors.req_pool_indices);
  if (is_wide(f.view.tensors.seq_lens)) return wide_pool ? kBothInt64 : kOnlyLensInt64;
  return wide_pool ? kOnlyPoolInt64 : kBothInt32;
}

Place clamp_place(const DsaFacts& f) {
  return static_cast<Place>(kNoClamp + static_cast<int>(f.view.expanded_min));
}

Place width_place(const DsaFacts& f) {
  if (f.view.next_n <= 2) return f.view.next_n == 1 ? kNextN1 : kNextN2;
  return f.view.next_n % 2 == 1 ? kOddNextN : kEvenNextN;
}

Place extends_place(const DsaFacts& f) {
  if (f.view.num_rows == 0) return kNothingExtended;
  if (f.view.extend_len) return kStatic;
  if (f.request_without_rows) return kExtendOf0;
  return f.equal_extends ? kEqualExtends : kOtherExtends;
}

constexpr std::array<Place (*)(const DsaFacts&), kNumAxes> kPlaceOn = {
    rows_place,         page_place,        columns_place, lens_place,  topk_place,  slots_place,
    slots_layout_place, lens_layout_place, dtypes_place,  clamp_place, width_place, extends_place};

// Without a row there is no row length, and the other way round. A length of 0 or 1 reaches topk,
// which is 1 or more, only where rows are counted beyond it; a request of a negative length has a
// row that is not above 1, the first one or, after a wrap, the last one.
bool lens_have_topk(const DsaDescription& description, Place lens, Place topk) {
  if ((lens == kNoLen) != (topk == kNoRowLen)) return false;
  if (lens == kZeroOrOne && topk != kNoneCut) return description.mode == DsaMode::kTargetVerify;
  return lens != kNegativeLen || topk != kAllCut;
}

// The rows of a request in draft_extend end at its length, which a schedule takes as it is.
bool lens_have_clamp(const DsaDescription& description, Place lens, Place clamp) {
  return lens != kNegativeLen || clamp != kNoClamp || description.entry != DsaEntry::kRefresh ||
         description.mode == DsaMode::kTargetVerify;
}

// A table of pages of 1 has no part of a page.
bool columns_have_page(Place columns, Place page) {
  return page != kPageOf1 || columns == kNoColumn || columns == kWholePages;
}

}  // namespace

std::vector<std::string_view> dsa_axis_classes(const Op& op) {
  std::vector<std::string_view> names;
  for (const Place place : places_of(op)) names.push_back(kPlaces[place].name);
  return names;
}

std::vector<ClassAxis> dsa_axes(const Op& op) {
  std::vector<ClassAxis> axes;
  const std::vector<Place> places = places_of(op);
  for (size_t i = 0; i < places.size(); ++i) {
    const Axis axis = kPlaces[places[i]].axis;
    if (i == 0 || axis != kPlaces[places[i - 1]].axis) {
      axes.push_back(
          {.name = kAxisNames[static_cast<size_t>(axis)], .first_class = static_cast<int>(i)});
    }
    ++axes.back().num_classes;
  }
  return axes;
}

std::vector<ClassProduct> dsa_products(const Op& op, bool (*possible)(int, int)) {
  constexpr std::array<std::pair<Axis, Axis>, 9> kProducts = {{{Axis::kRows, Axis::kPage},
                                                               {Axis::kColumns, Axis::kPage},
                                                               {Axis::kLens, Axis::kTopk},
                                                               {Axis::kLens, Axis::kClamp},
                                                               {Axis::kSlots, Axis::kPage},
                                                               {Axis::kSlotsLayout, Axis::kDTypes},
                                                               {Axis::kLensLayout, Axis::kDTypes},
                                                               {Axis::kWidth, Axis::kClamp},
                                                               {Axis::kExtends, Axis::kClamp}}};
  const DsaDescription& description = describe_dsa(op);
  // Axes that an op lacks are not counted.
  const auto position = [&](Axis axis) {
    int before = 0;
    for (size_t i = 0; i < static_cast<size_t>(axis); ++i) {
      before += has_axis(description, static_cast<Axis>(i)) ? 1 : 0;
    }
    return before;
  };
  std::vector<ClassProduct> products;
  for (const auto& [first, second] : kProducts) {
    if (!has_axis(description, first) || !has_axis(description, second)) continue;
    products.push_back(
        {.first_axis = position(first), .second_axis = position(second), .possible = possible});
  }
  return products;
}

std::vector<int> classify_dsa_axes(const DsaFacts& facts) {
  const std::vector<Place> places = places_of(*facts.c.op);
  std::vector<int> classes;
  for (size_t i = 0; i < kNumAxes; ++i) {
    if (!has_axis(describe_dsa(*facts.c.op), static_cast<Axis>(i))) continue;
    const auto found = std::find(places.begin(), places.end(), kPlaceOn[i](facts));
    classes.push_back(static_cast<int>(found - places.begin()));
  }
  return classes;
}

bool dsa_cell_is_possible(const Op& op, int first_class, int second_class) {
  const DsaDescription& description = describe_dsa(op);
  const std::vector<Place> places = places_of(op);
  const Place first = places[static_cast<size_t>(first_class)];
  const Place second = places[static_cast<size_t>(second_class)];
  switch (kPlaces[first].axis) {
    case Axis::kColumns:
      return columns_have_page(first, second);
    case Axis::kLens:
      return kPlaces[second].axis == Axis::kTopk ? lens_have_topk(description, first, second)
                                                 : lens_have_clamp(description, first, second);
    default:
      return true;
  }
}

}  // namespace bytegate
