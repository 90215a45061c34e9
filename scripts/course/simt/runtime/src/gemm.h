// One case of C = A·B: inputs, expectation, comparison.
#pragma once

#include <cstddef>
#include <vector>

#include "log.h"

namespace simt {

// What the inputs hold. Small integers keep every sum exact. With infinities in A (or B) and only
// positive numbers in the other, each element of C must be infinite; whatever else is multiplied
// by zero on the way turns into NaN. Floats are random in [-1, 1); there C may be off by rounding.
enum class Fill : u32 { kIntegers, kInfiniteA, kInfiniteB, kFloats };

struct Gemm {
  size_t m, n, k;
  u64 seed;
  Fill fill;

  float a(size_t i) const;  // by linear index
  float b(size_t i) const;
};

struct Comparison {
  u64 mismatches = 0, unwritten = 0;
  size_t first = 0, first_unwritten = 0;  // linear index into C
  float got = 0, expected = 0;            // at the first
  size_t low_row = ~size_t{0}, high_row = 0, low_col = ~size_t{0}, high_col = 0;
  bool inputs_kept = true;
  std::vector<size_t> wrong;  // the first of them, in order
};

// Computes every element anew from the seed alone, in integers, and compares bit for bit. With
// floats it computes in doubles, and an element may differ by gamma_k * sum |a||b|: what K products
// can lose to rounding in any order of the sum, fused or not.
Comparison compare(const Gemm& gemm, const float* a, const float* b, const float* c, u32 poison);

}  // namespace simt
