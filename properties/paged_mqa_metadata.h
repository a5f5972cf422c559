// How `paged_mqa_metadata` is searched.
#pragma once

#include "properties/op_properties.h"

namespace bytegate {

OpProperties paged_mqa_metadata_properties();

}  // namespace bytegate
