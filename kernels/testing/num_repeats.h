// How often the GPU tests repeat what must come out alike each time.
#pragma once

namespace bytegate {

// 3, or what the environment variable BYTEGATE_REPEATS says: 1 .. 1000, else an exception.
int num_repeats();

}  // namespace bytegate
