// Writes what fuzz targets start from: OUT/<target>.dict and OUT/<target>_seed_corpus/.
#include <CLI/CLI.hpp>

#include <exception>
#include <filesystem>
#include <iostream>

#include "ci/fuzzing/dictionaries.h"
#include "ci/fuzzing/seeds.h"
#include "oracles/durable_file.h"
#include "oracles/file_bytes.h"
#include "properties/op_properties.h"

namespace {

namespace fs = std::filesystem;

// Thrown to main, and to nobody else.
struct Failure {
  std::string message;
};

std::string read_file(const fs::path& path) {
  std::optional<std::string> bytes = bytegate::file_bytes(path.string());
  if (!bytes) throw Failure{path.string() + ": cannot be read"};
  return *std::move(bytes);
}

void write_file(const fs::path& path, std::string_view bytes) {
  if (const auto error = bytegate::write_durably(path, bytes)) throw Failure{*error};
}

void write_seeds(const fs::path& out, const std::string& target, const bytegate::Seeds& seeds) {
  if (seeds.empty()) throw Failure{target + ": no seeds"};
  const fs::path folder = out / (target + "_seed_corpus");
  fs::create_directories(folder);
  for (const bytegate::Seed& seed : seeds) write_file(folder / seed.name, seed.bytes);
  std::cout << target << ": " << seeds.size() << " seeds\n";
}

// The files of a folder, as they are.
bytegate::Seeds kept_seeds(const fs::path& folder) {
  bytegate::Seeds seeds;
  for (const auto& entry : fs::directory_iterator(folder)) {
    seeds.push_back({.name = entry.path().filename(), .bytes = read_file(entry.path())});
  }
  return seeds;
}

void write_dictionaries(const fs::path& out, const fs::path& kept) {
  for (const auto& entry : fs::directory_iterator(kept)) {
    const std::string target = entry.path().stem();
    const std::string text =
        read_file(entry.path()) + bytegate::dictionary_text(bytegate::dictionary_words(target));
    if (const auto broken = bytegate::broken_dictionary(text)) {
      throw Failure{entry.path().string() + ": " + *broken};
    }
    write_file(out / (target + ".dict"), text);
  }
}

void write_assets(const fs::path& out, const fs::path& source) {
  fs::create_directories(out);
  write_dictionaries(out, source / "fuzz/guided/dictionaries");
  for (const auto& entry : fs::directory_iterator(source / "fuzz/guided/seeds")) {
    write_seeds(out, entry.path().filename(), kept_seeds(entry.path()));
  }
  const bytegate::SeedCases corpus = bytegate::load_seed_cases(source / "corpus");
  if (!corpus.errors.empty()) throw Failure{corpus.errors.front()};
  write_seeds(out, "case_text_fuzzer", bytegate::case_text_seeds(corpus));
  for (const bytegate::Op* op : bytegate::all_ops()) {
    write_seeds(out, std::string(op->name) + "_fuzzer", bytegate::op_seeds(corpus, *op));
  }
  write_seeds(out, "command_line_fuzzer", bytegate::command_line_seeds());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CLI::App app("Dictionaries and seed corpora of the fuzz targets", "fuzz_assets");
    std::string out;
    std::string source = ".";
    app.add_option("out", out, "the folder to write to")->required();
    app.add_option("--source", source, "the root of the repository")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    write_assets(out, source);
    return 0;
  } catch (const Failure& failure) {
    std::cerr << "fuzz_assets: " << failure.message << "\n";
  } catch (const std::exception& error) {
    std::cerr << "fuzz_assets: " << error.what() << "\n";
  }
  return 2;
}
