#include "oracles/file_lock.h"

#include <fcntl.h>

#include <cerrno>

namespace bytegate {

bool lock_for_process(int file) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  int locked = 0;
  do {
    locked = fcntl(file, F_SETLK, &whole);
  } while (locked < 0 && errno == EINTR);
  return locked == 0;
}

}  // namespace bytegate
