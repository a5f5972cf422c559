// A lock that tells who lives: the kernel gives it back when its process ends, however it ends.
#pragma once

namespace bytegate {

// Locks an open, writable file for this process, or finds that another one holds it (or that the
// file system has no locks): false. Unlike flock(), a process that is forked does not hold it, too.
// It goes as soon as this process closes any descriptor of the same file, and never stands between
// two parts of one process.
bool lock_for_process(int file);

}  // namespace bytegate
