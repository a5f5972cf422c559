// SIGINT and SIGTERM as a wish to end: what was asked for stops, and says how far it came.
#pragma once

#include <string>

namespace bytegate {

// From here on the first SIGINT or SIGTERM is remembered, and the next one ends the process by the
// default action. A signal that is ignored already (nohup) stays so.
void heed_interrupts();

// Whether one came. Any thread may ask, as often as it likes.
bool interrupted();

// "SIGTERM"; empty: none came.
std::string interrupting_signal();

}  // namespace bytegate
