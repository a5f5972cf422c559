// What the outputs of two DSA batches have to do with each other when one follows from the other.
#pragma once

#include <vector>

#include "oracles/op.h"
#include "properties/relation.h"

namespace bytegate {

// Of one of dsa_ops(): all of the below that it can have.
std::vector<Relation> dsa_relations(const Op& op);

// Requests that come, go and move; properties/dsa_relations.cc.
std::vector<Relation> dsa_request_relations(const Op& op);
// Tables, layouts and pages; properties/dsa_relations_pages.cc.
std::vector<Relation> dsa_page_relations(const Op& op);
// What one operation has in common with another; properties/dsa_relations_modes.cc.
std::vector<Relation> dsa_mode_relations(const Op& op);

}  // namespace bytegate
