// Changes of cases that a coverage-guided engine makes: in lengths, totals and boundaries, not in
// bytes. What they give follows from their arguments and the state of `draw`.
#pragma once

#include "fuzz/guided/case_bytes.h"
#include "fuzz/guided/case_form.h"
#include "fuzz/guided/interesting.h"
#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

// A case, and the form in which its bytes are to be written: what follows from something else, and
// what the case expects, is left to the reading of those.
struct MutatedCase {
  Case c;
  CaseForm form;
};

// One to a few changes; nearly always inside the contract, now and then breaking one of its rules
// on purpose.
MutatedCase mutated(MutatedCase from, const Hints& hints, Draw& draw,
                    const CaseBytesLimits& limits = {});

// Parts of `other`, a case of the same operation, in the place of some of its own.
MutatedCase spliced(MutatedCase from, const Case& other, Draw& draw,
                    const CaseBytesLimits& limits = {});

}  // namespace bytegate
