// CUDA's short vectors. To copy one whole is a single access of its full width on a GPU. A host
// compiler would split it into members, so in a watched build the copies go through the runner.
#pragma once

#include "abi.h"

typedef float simt_raw8 __attribute__((vector_size(8)));
typedef float simt_raw16 __attribute__((vector_size(16)));

extern "C" {
simt_raw8 simt_load8(const void* from);
simt_raw16 simt_load16(const void* from);
void simt_store8(void* to, simt_raw8 raw);
void simt_store16(void* to, simt_raw16 raw);
}

#if SIMT_WATCH
#define SIMT_COPIES(Vector, Bytes)                                    \
  Vector(const Vector& other) {                                       \
    simt_raw##Bytes raw = simt_load##Bytes(&other);                   \
    __builtin_memcpy(static_cast<void*>(this), &raw, sizeof raw);     \
  }                                                                   \
  Vector& operator=(Vector other) {                                   \
    simt_raw##Bytes raw;                                              \
    __builtin_memcpy(&raw, static_cast<void*>(&other), sizeof raw);   \
    simt_store##Bytes(this, raw);                                     \
    return *this;                                                     \
  }
#else
#define SIMT_COPIES(Vector, Bytes)  \
  Vector(const Vector&) = default;  \
  Vector& operator=(const Vector&) = default;
#endif

#define SIMT_VECTOR2(T, Vector, Bytes)                          \
  struct alignas(Bytes) Vector {                                \
    T x, y;                                                     \
    Vector() = default;                                         \
    constexpr Vector(T x_, T y_ = T()) : x(x_), y(y_) {}        \
    SIMT_COPIES(Vector, Bytes)                                  \
  };                                                            \
  inline Vector make_##Vector(T x, T y) { return Vector(x, y); }

#define SIMT_VECTOR3(T, Vector)                                            \
  struct Vector {                                                          \
    T x, y, z;                                                             \
  };                                                                       \
  inline Vector make_##Vector(T x, T y, T z) { return Vector{x, y, z}; }

#define SIMT_VECTOR4(T, Vector)                                                     \
  struct alignas(16) Vector {                                                       \
    T x, y, z, w;                                                                   \
    Vector() = default;                                                             \
    constexpr Vector(T x_, T y_ = T(), T z_ = T(), T w_ = T())                      \
        : x(x_), y(y_), z(z_), w(w_) {}                                             \
    SIMT_COPIES(Vector, 16)                                                         \
  };                                                                                \
  inline Vector make_##Vector(T x, T y, T z, T w) { return Vector(x, y, z, w); }

SIMT_VECTOR2(float, float2, 8)
SIMT_VECTOR2(int, int2, 8)
SIMT_VECTOR2(unsigned, uint2, 8)
SIMT_VECTOR2(double, double2, 16)
SIMT_VECTOR3(float, float3)
SIMT_VECTOR3(int, int3)
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }
SIMT_VECTOR4(float, float4)
SIMT_VECTOR4(int, int4)
SIMT_VECTOR4(unsigned, uint4)
