#pragma once

#include <boost/context/fiber.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/simt/sanitizer.h"

// How lanes hand over to each other. Inlined into the kernel as far as the jump itself: a jump into
// another fiber leaves the processor's return predictor with the wrong stack, so each function that
// returns after one costs a misprediction.
namespace bytegate::simt {

// Something that can be switched to: a lane's fiber, or the thread that called launch.
struct Context {
  boost::context::fiber fiber;
  void* fake_stack = nullptr;  // AddressSanitizer's
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
};

// What the contexts of one executor share.
struct Switchboard {
  Context main;             // who called launch
  Context* from = nullptr;  // who switched last
  bool aborting = false;    // the launch has failed; lanes unwind when resumed
};

// The first thing to happen after every switch, in the context switched to.
[[gnu::always_inline]] inline void arrive(Switchboard& board, Context& self,
                                          boost::context::fiber&& came_from) {
  Context& origin = *board.from;
  if constexpr (sanitizer::kActive) {
    const void* old_bottom = nullptr;
    std::size_t old_bytes = 0;
    sanitizer::finish_switch(self.fake_stack, &old_bottom, &old_bytes);
    if (&origin == &board.main) {
      board.main.stack_bottom = old_bottom;
      board.main.stack_bytes = old_bytes;
    }
  }
  origin.fiber = std::move(came_from);
}

// Returns when something switches back to `self`.
[[gnu::always_inline]] inline void switch_context(Switchboard& board, Context& self, Context& to) {
  board.from = &self;
  sanitizer::start_switch(&self.fake_stack, to.stack_bottom, to.stack_bytes);
  arrive(board, self, std::move(to.fiber).resume());
}

}  // namespace bytegate::simt
