// The parts of reproducers that are the same for every case: files in templates/, built in.
#pragma once

#include <string_view>

namespace bytegate::reproducer_template {

extern const std::string_view kInterface;
extern const std::string_view kReport;
extern const std::string_view kKernel;
extern const std::string_view kHost;
extern const std::string_view kCuda;
extern const std::string_view kMain;
extern const std::string_view kChecks;
extern const std::string_view kProcess;
extern const std::string_view kPython;

}  // namespace bytegate::reproducer_template
