// The file of 'ritz material': a law, and tests of specimens with their measured data.
#pragma once

#include "fem/plugins/law_at_point.hpp"
#include "io/case/case.hpp"

#include <array>
#include <string>
#include <vector>

namespace ritz {

struct Specimen {
  std::string name;
  SpecimenTest test;
  std::vector<double> turns;                     // strains between which it goes, from 0 on
  double duration = 0;                           // [s] of each of these parts
  int steps = 50;                                // of each
  double temperature = 0;                        // for laws that depend on it
  std::vector<std::array<double, 2>> data = {};  // [strain, nominal stress in Pa]
};

// [[test]], so many at least; errors are added to the file.
std::vector<Specimen> read_specimens(const Case::Table& root, int least);

// The points of a test, from the specimen at rest on.
std::vector<PointOfTest> curve_of(const Specimen& specimen, const Device& cpu, const MaterialLaw& law, bool large);

// Nominal stresses at the strains of the data, in their order. They lie on one way of loading.
std::vector<double> stresses_at_data(const Specimen& specimen, const Device& cpu, const MaterialLaw& law, bool large);

// The root mean square and the largest difference from the data, relative to the largest stress of them.
struct DataMisfit {
  double mean = 0, largest = 0;
};
DataMisfit misfit_of(const Specimen& specimen, const std::vector<double>& stresses);

}  // namespace ritz
