#include "fuzz/reproducer/python_reproducer.h"

#include "fuzz/reproducer/templates.h"

namespace bytegate {

std::string python_reproducer(const CasePlan&) {
  return std::string(reproducer_template::kPython);
}

}  // namespace bytegate
