// The parts of reproducers that are the same for every case: files in templates/, built in under
// their names.
#pragma once

#include <string_view>

namespace bytegate::reproducer_template {

extern const std::string_view interface_cc;
extern const std::string_view report_cc;
extern const std::string_view kernel_cc;
extern const std::string_view host_cc;
extern const std::string_view cuda_cc;
extern const std::string_view buffers_cc;
extern const std::string_view checks_cc;
extern const std::string_view process_cc;
extern const std::string_view call_py;
extern const std::string_view checks_py;

}  // namespace bytegate::reproducer_template
