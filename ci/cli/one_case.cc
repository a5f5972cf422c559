#include "ci/cli/one_case.h"

#include "oracles/case_text.h"

namespace bytegate::cli {

int on_chosen_backends(const std::string& file, const Options& options,
                       const std::function<int(const OneCase&)>& command) {
  const std::unique_ptr<Candidate> candidate = chosen_candidate(options);
  if (candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  const LoadResult loaded = load_case(file, all_ops());
  if (!loaded.value) {
    complain(loaded.error);
    return kExitUsage;
  }
  const Case& c = *loaded.value;
  bool ran = false;
  for (const ChosenBackends::Entry& entry : backends.entries) {
    if (c.backend != BackendKind::kAny && c.backend != entry.kind) continue;
    ran = true;
    const BackendResult opened = open_backend(entry.kind, backend_options(options));
    if (opened.backend == nullptr) {
      complain(opened.absent_reason);
      return kExitNoBackend;
    }
    const int code = command({.file = file,
                              .c = c,
                              .properties = *find_properties(all_properties(), *c.op),
                              .candidate = *candidate,
                              .backend = *opened.backend,
                              .backend_description = entry.description});
    if (code != kExitPass) return code;
  }
  if (ran) return kExitPass;
  complain(file + " is for " + std::string(backend_name(c.backend)) + " only, which is not here");
  return kExitNoBackend;
}

}  // namespace bytegate::cli
