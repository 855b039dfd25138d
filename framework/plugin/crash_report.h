// Says which plugin it was when the program crashes or is ended by a call of exit: without it a
// plugin that calls exit(0) looks like success, and one that crashes leaves nothing but
// "Segmentation fault".
//
//   watch_for_crashes();       // first in main
//   ... note_plugin("model 'gpt' (models/gpt.so)", handle) after each dlopen ...
//   stop_watching();           // last in main: what ends from here on ends as it should
//
// A crash or exit with a plugin's function on the stack ends the program with a message and exit
// code 3; others stay what they were. Sanitizers report crashes themselves. _exit and kill -9
// cannot be seen by anyone. The state is global because a signal handler can see nothing else.
#pragma once

#include <string>

#include "base/api.h"

namespace assay {

ASSAY_API void watch_for_crashes();
ASSAY_API void stop_watching();

/// From here on the report, without "error:" and on one line, goes to this descriptor alone.
ASSAY_API void report_crashes_to(int descriptor);

/// Functions of the library at this handle (of dlopen) are this plugin's. REQUIRES no other call at
/// the same time.
void note_plugin(const std::string& plugin, void* library);

}  // namespace assay
