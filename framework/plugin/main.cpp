// assay-probe: the helper process that opens a plugin before the program does (probe.h).
#include "plugin/probe.h"

int main(int count, char** arguments) {
  return assay::answer_probe(count, arguments);
}
