// The boundary classes of paged_mqa_metadata, and how they combine.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/case.h"
#include "properties/class_axis.h"

namespace bytegate {

std::vector<std::string_view> paged_mqa_metadata_classes();
std::vector<ClassAxis> paged_mqa_metadata_axes();
std::vector<ClassProduct> paged_mqa_metadata_products();
// Indices into paged_mqa_metadata_classes(), ascending.
std::vector<int> classify_paged_mqa_metadata(const Case& c);

}  // namespace bytegate
