#include "fem/analysis/frequency_table.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {

FrequencyTable::FrequencyTable(std::vector<std::array<double, 2>> rows, Scale scale)
    : rows_(std::move(rows)), scale_(scale) {
  if (rows_.empty()) throw Error(ErrorKind::modal_options, "a table over the frequency without rows");
  for (std::size_t i = 1; i < rows_.size(); ++i)
    if (!(rows_[i - 1][0] < rows_[i][0]))
      throw Error(ErrorKind::modal_options, fmt::format("the frequencies {:g} and {:g} Hz of a table do not ascend",
                                                        rows_[i - 1][0], rows_[i][0]));
  if (scale_ == Scale::linear) return;
  for (const auto& [frequency, value] : rows_)
    if (!(frequency > 0) || !(value > 0))
      throw Error(
          ErrorKind::modal_options,
          fmt::format("the row of {:g} Hz and {:g} in a table that is interpolated by logarithms", frequency, value),
          "zero has none", "give positive numbers, or take interpolation = \"linear\"");
}

double FrequencyTable::operator()(double frequency) const {
  if (frequency <= lowest()) return rows_.front()[1];
  if (frequency >= highest()) return rows_.back()[1];
  const auto after = std::ranges::upper_bound(rows_, frequency, {}, [](const auto& row) { return row[0]; });
  const auto& [f0, v0] = *(after - 1);
  const auto& [f1, v1] = *after;
  if (scale_ == Scale::linear) return v0 + (v1 - v0) * (frequency - f0) / (f1 - f0);
  return v0 * std::exp(std::log(v1 / v0) * std::log(frequency / f0) / std::log(f1 / f0));
}

double FrequencyTable::within(double frequency) const {
  return constant() || (frequency >= lowest() && frequency <= highest()) ? (*this)(frequency) : 0;
}

}  // namespace ritz
