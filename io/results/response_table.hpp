// Numbers of probes over the frequency or the time, and the files that they become: CSV, and universal files of
// functions at nodes (type 58), which programs for tests of vibration read. Formats: SDRC I-DEAS universal file data
// set 58 (University of Cincinnati, Structural Dynamics Research Laboratory).
//
//   ResponseTable table{ResponseTable::Kind::frequency_response, {10, 20}};
//   table.add("tip") = {{1, 2}, {3, 4}};
//   csv_of(table);   // frequency,tip,tip_phase
#pragma once

#include <complex>
#include <string>
#include <vector>

namespace ritz {

struct ResponseTable {
  enum class Kind { frequency_response, density, time };
  struct Series {
    std::string name;
    std::vector<std::complex<double>> values;  // real but for a frequency response
  };

  Kind kind;
  std::vector<double> at = {};  // [Hz] or [s], ascending
  std::vector<Series> series = {};

  std::vector<std::complex<double>>& add(std::string name) {
    return series.emplace_back(Series{std::move(name), {}}).values;
  }
  bool is_complex() const { return kind == Kind::frequency_response; }
};

// A column of the frequency or the time, then one for each series; of complex ones amplitude and phase in degrees.
std::string csv_of(const ResponseTable& table);
// A data set for each series: its name in the first line and as the entity of the response.
std::string universal_file_of(const ResponseTable& table);

}  // namespace ritz
