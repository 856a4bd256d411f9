// A number over the frequency: a constant, or rows between which it is linear, or a power of the frequency (log), as
// spectra are drawn.
//
//   const FrequencyTable psd({{20, 0.01}, {80, 0.04}, {2000, 0.04}}, FrequencyTable::Scale::log);   psd(50)
#pragma once

#include <array>
#include <vector>

namespace ritz {

class FrequencyTable {
 public:
  enum class Scale { linear, log };
  FrequencyTable(double value = 0) : rows_{{0, value}} {}  // NOLINT: a number is one
  // Rows of frequency [Hz] and value. Throws Error: Exit::input where frequencies do not ascend, and with `log` where a
  // frequency or a value is not positive.
  FrequencyTable(std::vector<std::array<double, 2>> rows, Scale scale);

  bool constant() const { return rows_.size() == 1; }
  double lowest() const { return rows_.front()[0]; }  // [Hz]
  double highest() const { return rows_.back()[0]; }
  const std::vector<std::array<double, 2>>& rows() const { return rows_; }
  double operator()(double frequency) const;  // beyond the rows that of the nearest one
  // The same, 0 beyond the rows of a table: of a spectral density.
  double within(double frequency) const;

 private:
  std::vector<std::array<double, 2>> rows_;
  Scale scale_ = Scale::linear;
};

}  // namespace ritz
