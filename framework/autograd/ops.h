// All operations on tensors, as free functions; each family has its file, with forward and backward
// together. Shapes: B batch, N sequence length, D width, H heads, K classes or vocabulary. Errors
// carry both shapes:
// "[linear] (32, 64) x (65, 64): inner extents differ, 64 and 65".
// Ids, targets, weights and masks are looked at, not copied: they must live until the tape has gone
// back or is reset.
#pragma once

#include "autograd/ops_attention.h"
#include "autograd/ops_basic.h"
#include "autograd/ops_candidates.h"
#include "autograd/ops_experts.h"
#include "autograd/ops_linear.h"
#include "autograd/ops_loss.h"
#include "autograd/ops_normalise.h"
#include "autograd/ops_recurrent.h"
#include "autograd/ops_sequence.h"
