// Looks into the objects that nvcc made: code for every real architecture must be in each. A build
// can lose it silently (a host compiler that took the file, an empty architecture list).
//
// `cuobjdump --list-elf` says the same, but not every installation of the toolkit has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace bytegate {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// A fat binary is a header and a row of entries, one per architecture; both say how long they are.
struct FatHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_bytes;
  uint64_t entries_bytes;
};
struct FatEntry {
  uint16_t kind;
  uint16_t version;
  uint32_t header_bytes;
  uint64_t payload_bytes;
  uint32_t unused[3];
  uint32_t architecture;
};
constexpr uint32_t kFatMagic = 0xba55ed50;
constexpr uint16_t kElfKind = 2;
static_assert(sizeof(FatHeader) == 16 && offsetof(FatEntry, architecture) == 28);

template <typename T>
bool read_at(const std::string& bytes, size_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

// Architectures for which the file holds machine code.
std::set<int> elf_architectures(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string magic(reinterpret_cast<const char*>(&kFatMagic), sizeof kFatMagic);
  std::set<int> found;
  for (size_t fat = bytes.find(magic); fat != std::string::npos; fat = bytes.find(magic, fat + 1)) {
    FatHeader header{};
    if (!read_at(bytes, fat, header)) continue;
    size_t at = fat + header.header_bytes;
    const size_t end = at + header.entries_bytes;
    FatEntry entry{};
    while (at < end && read_at(bytes, at, entry) && entry.header_bytes > 0) {
      if (entry.kind == kElfKind && entry.payload_bytes > 0) {
        found.insert(static_cast<int>(entry.architecture));
      }
      at += entry.header_bytes + entry.payload_bytes;
    }
  }
  return found;
}

// "80-real 90a 120-virtual" is machine code for 80 and 90.
std::set<int> real_architectures(const std::string& list) {
  std::istringstream words(list);
  std::set<int> real;
  for (std::string word; words >> word;) {
    if (word.ends_with("-virtual")) continue;
    real.insert(std::stoi(word));
  }
  return real;
}

TEST(DeviceCode, EveryKernelObjectHoldsCodeForEveryRealArchitecture) {
  const std::set<int> wanted = real_architectures(BYTEGATE_CUDA_ARCHITECTURES);
  ASSERT_THAT(wanted, Not(IsEmpty()));
  std::istringstream objects(BYTEGATE_CUDA_OBJECTS);
  int num_objects = 0;
  for (std::string object; std::getline(objects, object, '|');) {
    EXPECT_THAT(elf_architectures(object), IsSupersetOf(wanted)) << object;
    ++num_objects;
  }
  EXPECT_GT(num_objects, 0);
}

TEST(DeviceCode, AnObjectOfTheHostCompilerHoldsNone) {
  EXPECT_THAT(elf_architectures(BYTEGATE_HOST_OBJECT), IsEmpty());
}

}  // namespace
}  // namespace bytegate
