// SIGINT and SIGTERM as a wish to end: what was asked for stops, and says how far it came.
#pragma once

#include <chrono>
#include <string>

namespace bytegate {

// What is on its way when one comes has as long to end by itself.
constexpr std::chrono::milliseconds kInterruptPatience{1000};

// From here on the first SIGINT or SIGTERM is remembered, and the next one ends the process by the
// default action. A signal that is ignored already (nohup) stays so.
void heed_interrupts();

// Whether one came. Any thread may ask, as often as it likes.
bool interrupted();
// Whether one came, and kInterruptPatience is over.
bool out_of_patience();

// "SIGTERM"; empty: none came.
std::string interrupting_signal();

}  // namespace bytegate
