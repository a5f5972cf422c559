// What a process does first that was forked to run code that is tested.
#pragma once

#include <sys/types.h>

namespace bytegate {

// Right after the fork, in the new process. It dies with the thread that forked it, leaves no core,
// reads nothing from the terminal, is not stopped by what the terminal sends to the parent, is the
// first to go when memory is short, and never runs what the parent has left to do at its exit.
void become_child(pid_t parent);

}  // namespace bytegate
