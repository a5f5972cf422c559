// The simplest relations, which any operation has: two cases have the same outputs, since only how
// they are launched differs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

// Which elements of written_shape() the contract states.
std::vector<uint8_t> stated_elements(const Case& c, int tensor);

// The first element that both cases state and that differs, or nothing. Outputs are matched by
// name, over operations too; those that one case does not have are not compared, nor are those of
// `except`.
std::optional<std::string> different_output(const Case& c, const Outputs& outputs,
                                            const Case& related, const Outputs& related_outputs,
                                            std::initializer_list<std::string_view> except = {});

// The same as a Relation::broken.
std::optional<std::string> same_outputs(const Case& c, const Outputs& outputs, const Case& related,
                                        const Outputs& related_outputs);

// Another order of lanes and blocks on the host; elsewhere the same launch once more. As a
// Relation::follow_up.
std::optional<Case> other_order(const Case& c, Draw& draw);

// One of `usable`, the paths that take the case, that it is not on; nothing when there is no other.
// Unless one is forced, the case is on the first.
std::optional<Case> other_path_of(const Case& c, std::span<const std::string_view> usable,
                                  Draw& draw);

}  // namespace bytegate
