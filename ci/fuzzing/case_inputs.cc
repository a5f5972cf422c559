// Writes case files as inputs of their operation's fuzz target, for tools that run a target over a
// folder of inputs.
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

#include "fuzz/guided/case_bytes.h"
#include "fuzz/sources.h"
#include "oracles/case_text.h"
#include "oracles/durable_file.h"
#include "properties/op_properties.h"

namespace {

namespace fs = std::filesystem;

int write_inputs(const std::string& from, const std::string& to) {
  const bytegate::CaseFiles found = bytegate::find_case_files(from);
  if (!found.error.empty()) {
    std::cerr << "case_inputs: " << found.error << "\n";
    return 2;
  }
  const bytegate::LoadedCases loaded = bytegate::load_case_files(found.paths, bytegate::all_ops());
  for (const std::string& error : loaded.errors) std::cerr << "case_inputs: " << error << "\n";
  fs::create_directories(to);
  int64_t num_left_out = 0;
  for (const bytegate::Case& c : loaded.cases) {
    const auto bytes = bytegate::bytes_of_case(c);
    if (!bytes) {
      ++num_left_out;
      continue;
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const fs::path path = fs::path(to) / bytegate::case_digest(c);
    if (const auto error = bytegate::write_durably(path, text)) {
      std::cerr << "case_inputs: " << *error << "\n";
      return 2;
    }
  }
  std::cout << loaded.cases.size() - static_cast<size_t>(num_left_out) << " inputs, "
            << num_left_out << " cases that are too large for one\n";
  return loaded.errors.empty() ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Case files as inputs of fuzz targets", "case_inputs");
  std::string from;
  std::string to;
  app.add_option("from", from, "a case file, or a folder of them")->required();
  app.add_option("--to", to, "the folder to write to")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return write_inputs(from, to);
  } catch (const fs::filesystem_error& error) {
    std::cerr << "case_inputs: " << error.what() << "\n";
    return 2;
  }
}
