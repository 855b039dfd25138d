// ASSAY_API marks what libassay.so exports to the program and to plugins; all else stays hidden.
#pragma once

#define ASSAY_API __attribute__((visibility("default")))
