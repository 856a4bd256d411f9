// Loads nodal triples into registers of one number of sixteen elements: a load per node and a transposition
// instead of three loads and insertions per node. In double precision, with eight elements, this was no
// gain.
#pragma once

#include "device/pack.hpp"

#include <immintrin.h>

namespace ritz::RITZ_BACKEND {

// x, y, z at a node; memory after them is not touched.
inline __m256d triple(const double* at) { return _mm256_maskload_pd(at, _mm256_setr_epi64x(-1, -1, -1, 0)); }
inline __m128 triple(const float* at) { return _mm_maskload_ps(at, _mm_setr_epi32(-1, -1, -1, 0)); }

struct FourTriples {
  __m128 x, y, z;
  FourTriples(__m128 a, __m128 b, __m128 c, __m128 d) {
    const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);  // x x y y
    x = _mm_movelh_ps(ab, cd);
    y = _mm_movehl_ps(cd, ab);
    z = _mm_movelh_ps(_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
  }
};

inline SinglePack joined(__m128 a, __m128 b, __m128 c, __m128 d) {
  using Four = PackOf<float, 4>;
  using Eight = PackOf<float, 8>;
  return SinglePack::joined(Eight::joined(Four::of(a), Four::of(b)), Eight::joined(Four::of(c), Four::of(d)));
}

// row(l): the triple of lane l.
template <class Row, class X>
inline void gather_triples(const Row& row, const X& x) {
  const FourTriples a(row(0), row(1), row(2), row(3)), b(row(4), row(5), row(6), row(7)),
      c(row(8), row(9), row(10), row(11)), d(row(12), row(13), row(14), row(15));
  x(0) = joined(a.x, b.x, c.x, d.x);
  x(1) = joined(a.y, b.y, c.y, d.y);
  x(2) = joined(a.z, b.z, c.z, d.z);
}

}  // namespace ritz::RITZ_BACKEND
