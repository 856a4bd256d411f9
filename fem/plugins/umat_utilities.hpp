// Utility routines that a UMAT calls, and how it ends a run: XIT, and STDB_ABQERR with LOP = -3, throw UmatStops
// through the user's subroutine to the kernel that called it.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace ritz {

struct UmatStops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A message to standard error, each text once and at most twenty of them.
void say_of_umat(const std::string& text);

}  // namespace ritz

// Names and arguments are those of gfortran; the lengths of texts come last.
extern "C" {
void xit_();
void stdb_abqerr_(const int* kind, const char* format, const int* integers, const double* numbers, const char* texts,
                  std::size_t format_length, std::size_t text_length);
void rotsig_(const double* tensor, const double* rotation, double* turned, const int* kind, const int* direct,
             const int* shear);
void sinv_(const double* stress, double* mean, double* mises, const int* direct, const int* shear);
void sprinc_(const double* tensor, double* principal, const int* kind, const int* direct, const int* shear);
void sprind_(const double* tensor, double* principal, double* directions, const int* kind, const int* direct,
             const int* shear);
}
