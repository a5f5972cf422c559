#include "kernels/last_words.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>

namespace bytegate {
namespace {

using Access = FaultMap::Access;

constexpr size_t kHandlerStackBytes = size_t{64} << 10;
// A frame may be this large, and its first access anywhere in it.
constexpr uintptr_t kMaxFrameBytes = uintptr_t{64} << 10;
// What a null pointer with an index or a member comes to.
constexpr uintptr_t kNearNull = uintptr_t{64} << 10;

#if defined(__x86_64__)
uintptr_t stack_pointer(const ucontext_t& context) {
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
}
Access access_of(const ucontext_t& context) {
  constexpr greg_t kWriteBit = 2;  // of a page fault's error code
  return (context.uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
}
#elif defined(__aarch64__)
uintptr_t stack_pointer(const ucontext_t& context) {
  return context.uc_mcontext.sp;
}
// In a record of its own among those that the kernel appends.
Access access_of(const ucontext_t& context) {
  constexpr uint64_t kWriteBit = uint64_t{1} << 6;  // of a data abort's syndrome
  const unsigned char* place = context.uc_mcontext.__reserved;
  const unsigned char* end = place + sizeof context.uc_mcontext.__reserved;
  while (static_cast<size_t>(end - place) >= sizeof(esr_context)) {
    const auto* head = reinterpret_cast<const _aarch64_ctx*>(place);
    if (head->magic == ESR_MAGIC) {
      const auto* record = reinterpret_cast<const esr_context*>(place);
      return (record->esr & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
    }
    if (head->magic == 0 || head->size == 0 || head->size > static_cast<size_t>(end - place)) break;
    place += head->size;
  }
  return Access::kUnknown;
}
#else
uintptr_t stack_pointer(const ucontext_t&) {
  return 0;
}
Access access_of(const ucontext_t&) {
  return Access::kUnknown;
}
#endif

bool is_near(uintptr_t a, uintptr_t b) {
  return std::max(a, b) - std::min(a, b) <= kMaxFrameBytes;
}

}  // namespace

struct LastWords::Note {
  std::atomic<uint32_t> said;  // not 0: all below is written
  uint8_t access;
  uint8_t overflow;
  uint8_t named;
  uint8_t kind;
  int32_t tensor;
  int64_t byte_offset;
  uint64_t address;
};

namespace {

// A signal handler is given nothing, so this is where it looks. Null but in a process that listens.
std::atomic<const LastWords*> listening{nullptr};

}  // namespace

LastWords::~LastWords() {
  if (note_ != nullptr) munmap(note_, sizeof(Note));
}

bool LastWords::open() {
  void* page =
      mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  note_ = static_cast<Note*>(page);
  return true;
}

void LastWords::on_fault(int signal, void* info, void* context) {
  const LastWords* words = listening.load();
  const auto* cause = static_cast<const siginfo_t*>(info);
  // Not by kill(): then there is no address. SI_KERNEL: the processor does not say it.
  if (words != nullptr && cause->si_code > 0 && cause->si_code != SI_KERNEL) {
    const auto* state = static_cast<const ucontext_t*>(context);
    const auto address = reinterpret_cast<uintptr_t>(cause->si_addr);
    const Access access = access_of(*state);
    Note& note = *words->note_;
    std::optional<Damage> trespass;
    if (words->faults_ != nullptr) trespass = words->faults_->find(address, access);
    note.address = address;
    note.access = static_cast<uint8_t>(access);
    note.overflow = is_near(address, stack_pointer(*state)) ? 1 : 0;
    note.named = trespass ? 1 : 0;
    if (trespass) {
      note.kind = static_cast<uint8_t>(trespass->kind);
      note.tensor = trespass->tensor;
      note.byte_offset = trespass->byte_offset;
    }
    note.said.store(1, std::memory_order_release);
  }
  // Comes when this returns, and finds the default action.
  std::raise(signal);
}

void LastWords::listen(std::shared_ptr<const FaultMap> faults) {
  faults_ = std::move(faults);
  stack_ = std::make_unique<std::byte[]>(kHandlerStackBytes);
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kHandlerStackBytes;
  if (note_ == nullptr || sigaltstack(&stack, nullptr) != 0) return;
  listening.store(this);
  struct sigaction action {};
  action.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
    on_fault(signal, info, context);
  };
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (const int fault : {SIGSEGV, SIGBUS}) sigaction(fault, &action, nullptr);
}

std::optional<LastWord> LastWords::heard() const {
  if (note_ == nullptr || note_->said.load(std::memory_order_acquire) == 0) return std::nullopt;
  LastWord word;
  const auto kind = static_cast<Damage::Kind>(note_->kind);
  const bool kind_known = kind == Damage::Kind::kRead || kind == Damage::Kind::kWrite;
  if (note_->named != 0 && kind_known) {
    word.trespass = {.kind = kind, .tensor = note_->tensor, .byte_offset = note_->byte_offset};
  } else if (note_->overflow != 0) {
    word.text = "stack overflow";
  } else if (note_->address < kNearNull) {
    const auto access = static_cast<Access>(note_->access);
    const char* what = access == Access::kWrite  ? "a write"
                       : access == Access::kRead ? "a read"
                                                 : "an access";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s at address 0x%llx", what,
                  static_cast<unsigned long long>(note_->address));
    word.text = text.data();
  }
  return word;
}

}  // namespace bytegate
