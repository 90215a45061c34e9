#include "gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace simt {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kKeep = 4096;  // wrong elements remembered one by one

u64 mixed(u64 seed, u64 i) {
  u64 x = (seed + i) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

int small_integer(u64 seed, u64 i) {
  const u64 x = mixed(seed, i);
  const int size = 1 + int(x % 3);
  return x >> 20 & 1 ? size : -size;  // never zero: every product counts
}

// 24 random bits in (-1, 1), never zero: exact as a float, and no product of two underflows.
float small_float(u64 seed, u64 i) {
  return float(int(mixed(seed, i) >> 40 | 1) - (1 << 23)) / (1 << 23);
}

float value(Fill fill, Fill infinite, u64 seed, size_t i) {
  if (fill == Fill::kFloats) return small_float(seed, i);
  const int v = small_integer(seed, i);
  if (fill == Fill::kIntegers) return float(v);
  return fill == infinite ? kInfinity : float(std::abs(v));
}

#if defined(__x86_64__) && defined(__gnu_linux__)
__attribute__((target_clones("avx2", "default")))
#endif
void add_scaled(int* to, const int* from, int factor, size_t count) {
  for (size_t j = 0; j < count; ++j) to[j] += factor * from[j];
}

struct Exactly {
  double sum = 0, size = 0;  // of the products, and of their absolute values
};

Exactly dot(const Gemm& gemm, const float* a, const float* b, size_t i, size_t j) {
  Exactly e;
  for (size_t p = 0; p < gemm.k; ++p) {
    const double product = double(a[i * gemm.k + p]) * b[p * gemm.n + j];
    e.sum += product;
    e.size += std::fabs(product);
  }
  return e;
}

// gamma_k = k*u / (1 - k*u) with u = 2^-24, and what the sum in doubles may itself have lost.
bool close(float got, const Exactly& exactly, size_t k) {
  const auto gamma = [k](double u) { return double(k) * u / (1 - double(k) * u); };
  return std::fabs(got - exactly.sum) <= (gamma(0x1p-24) + 2 * gamma(0x1p-53)) * exactly.size;
}

}  // namespace

float Gemm::a(size_t i) const { return value(fill, Fill::kInfiniteA, seed * 2 + 1, i); }
float Gemm::b(size_t i) const {
  return value(fill, Fill::kInfiniteB, (seed * 2 + 2) ^ 0x5851f42d4c957f2du, i);
}

Comparison compare(const Gemm& gemm, const float* a, const float* b, const float* c, u32 poison) {
  Comparison result;
  const bool finite = gemm.fill == Fill::kIntegers, floats = gemm.fill == Fill::kFloats;
  std::vector<int> whole_b(finite ? gemm.k * gemm.n : 0), row(gemm.n);
  for (size_t i = 0; i < gemm.k * gemm.n; ++i) {
    const float v = gemm.b(i);
    if (finite) whole_b[i] = int(v);
    if (memcmp(&v, &b[i], sizeof v)) result.inputs_kept = false;
  }
  for (size_t i = 0; i < gemm.m; ++i) {
    std::fill(row.begin(), row.end(), 0);
    for (size_t p = 0; p < gemm.k; ++p) {
      const float v = gemm.a(i * gemm.k + p);
      if (memcmp(&v, &a[i * gemm.k + p], sizeof v)) result.inputs_kept = false;
      if (finite) add_scaled(row.data(), &whole_b[p * gemm.n], int(v), gemm.n);
    }
    for (size_t j = 0; j < gemm.n; ++j) {
      const float got = c[i * gemm.n + j];
      float expected = finite ? float(row[j]) : kInfinity;
      if (floats) {
        const Exactly exactly = dot(gemm, a, b, i, j);
        if (close(got, exactly, gemm.k)) continue;
        expected = float(exactly.sum);
      }
      // Bit for bit, but zero has two spellings.
      if (!memcmp(&got, &expected, sizeof got) || (got == 0 && expected == 0)) continue;
      if (!memcmp(&got, &poison, sizeof got)) {
        if (!result.unwritten++) result.first_unwritten = i * gemm.n + j;
      }
      if (!result.mismatches++) {
        result.first = i * gemm.n + j;
        result.got = got;
        result.expected = expected;
      }
      if (result.wrong.size() < kKeep) result.wrong.push_back(i * gemm.n + j);
      result.low_row = std::min(result.low_row, i);
      result.high_row = std::max(result.high_row, i);
      result.low_col = std::min(result.low_col, j);
      result.high_col = std::max(result.high_col, j);
    }
  }
  return result;
}

}  // namespace simt
