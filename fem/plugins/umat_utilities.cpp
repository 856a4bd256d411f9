#include "fem/plugins/umat_utilities.hpp"

#include "fem/numbers/tensor.hpp"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace ritz {

void say_of_umat(const std::string& text) {
  constexpr std::size_t most = 20;
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.size() < most && said.insert(text).second) fmt::print(stderr, "{}\n", text);
}

namespace {

using S = Symmetric<double>;

// kind 1: of stress; 2: of strain, whose shears are doubled. Abaqus counts shears 12, 13, 23.
int number_of(int i, int direct) {
  const int shear = i - direct;
  return shear < 0 ? i : shear == 0 ? 3 : shear == 1 ? 5 : 4;
}
S tensor_of(const double* numbers, int kind, int direct, int shear) {
  S s = S::zero();
  for (int i = 0; i < direct + shear; ++i) s[number_of(i, direct)] = (kind == 2 && i >= direct ? 0.5 : 1) * numbers[i];
  return s;
}

// Fortran's text, without the blanks after it.
std::string text_of(const char* first, std::size_t length) {
  std::string text(first, length);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace
}  // namespace ritz

extern "C" {

void xit_() { throw ritz::UmatStops("it called XIT"); }

// %I, %R and %S stand for the next integer, number and text.
void stdb_abqerr_(const int* kind, const char* format, const int* integers, const double* numbers, const char* texts,
                  std::size_t format_length, std::size_t text_length) {
  const std::string pattern = ritz::text_of(format, format_length);
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : ' ';
    if (next == 'I') text += fmt::format("{}", *integers++);
    else if (next == 'R') text += fmt::format("{:g}", *numbers++);
    else if (next == 'S') text += ritz::text_of(texts, text_length), texts += text_length;
    else text += pattern[i];
    if (next == 'I' || next == 'R' || next == 'S') ++i;
  }
  if (*kind == -3) throw ritz::UmatStops(text);
  ritz::say_of_umat(fmt::format("umat {}: {}", *kind == 1 ? "message" : *kind == -1 ? "warning" : "error", text));
}

void rotsig_(const double* tensor, const double* rotation, double* turned, const int* kind, const int* direct,
             const int* shear) {
  ritz::Tensor<double> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = rotation[i + 3 * j];
  const ritz::S s = ritz::turned(R, ritz::tensor_of(tensor, *kind, *direct, *shear));
  for (int i = 0; i < *direct + *shear; ++i)
    turned[i] = (*kind == 2 && i >= *direct ? 2 : 1) * s[ritz::number_of(i, *direct)];
}

void sinv_(const double* stress, double* mean, double* mises, const int* direct, const int* shear) {
  const ritz::S s = ritz::tensor_of(stress, 1, *direct, *shear), d = ritz::deviator(s);
  *mean = ritz::trace(s) / 3;
  *mises = std::sqrt(1.5 * ritz::contract(d, d));
}

void sprinc_(const double* tensor, double* principal, const int* kind, const int* direct, const int* shear) {
  double directions[9];
  sprind_(tensor, principal, directions, kind, direct, shear);
}

void sprind_(const double* tensor, double* principal, double* directions, const int* kind, const int* direct,
             const int* shear) {
  const auto s = ritz::descending(ritz::spectrum(ritz::tensor_of(tensor, *kind, *direct, *shear)));
  for (int k = 0; k < 3; ++k) {
    principal[k] = s.values[k];
    for (int i = 0; i < 3; ++i) directions[k + 3 * i] = s.vectors(i, k);
  }
}
}
