// What makes a case of a DSA metadata operation valid. Used by the descriptions alone.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "oracles/dsa_metadata.h"

namespace bytegate {

// Rows as the scalars have it; 0 for a number that no call may have.
int64_t dsa_num_rows(const DsaDescription& description, const Case& c);

// Op::validate, Op::validate_data, Op::settle and TensorSpec::mask of all of them.
std::optional<std::string> dsa_call_reason(const Case& c);
std::optional<std::string> dsa_data_reason(const Case& c);
void settle_dsa(Case& c);
void mask_dsa_page_table(const Case& c, std::span<uint8_t> stated);
void mask_dsa_real_page_table(const Case& c, std::span<uint8_t> stated);

}  // namespace bytegate
