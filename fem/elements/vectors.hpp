// Vectors of three numbers for whole elements. Coordinates may be plain numbers where the other factor is a dual one.
#pragma once

#include <cmath>

namespace ritz {

template <class T>
struct Three {
  T v[3];
  constexpr T& operator[](int i) { return v[i]; }
  constexpr const T& operator[](int i) const { return v[i]; }
};

template <class A, class B>
constexpr auto dot(const A& a, const B& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T>
constexpr Three<T> cross(const Three<T>& a, const Three<T>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

template <class T>
constexpr Three<T> difference(const T (&a)[3], const T (&b)[3]) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}

template <class T>
constexpr Three<T> normalised(const Three<T>& a) {
  using std::sqrt;
  const T length = sqrt(dot(a, a));
  return {{a[0] / length, a[1] / length, a[2] / length}};
}

// The part of a across the unit vector e, as a unit vector.
template <class T>
constexpr Three<T> across(const Three<T>& a, const Three<T>& e) {
  const T along = dot(a, e);
  return normalised(Three<T>{{a[0] - along * e[0], a[1] - along * e[1], a[2] - along * e[2]}});
}

}  // namespace ritz
