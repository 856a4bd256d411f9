// A law of materials at one point of a CPU: a test of a specimen in which all strains are equal. Some components of the
// displacement gradient are given, others follow from stresses that vanish.
//
//   LawAtPoint rubber(Device::named("cpu"), NeoHooke{1e6, 0.45}, true);
//   const PointOfTest p = rubber.step(SpecimenTest::uniaxial, 0.5);     // stretched by half; p.nominal [Pa]
#pragma once

#include "device/device.hpp"
#include "fem/physics/material_law.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// uniaxial: sides free; biaxial: equally along x and y, free across; planar: along x, held along y, free across (pure
// shear); shear: simple shear, x by y; volumetric: equally along x, y and z.
enum class SpecimenTest { uniaxial, biaxial, planar, shear, volumetric };
std::optional<SpecimenTest> specimen_test(std::string_view name);
std::vector<std::string> specimen_tests();  // their names

struct PointOfTest {
  double strain;                      // dx/dX - 1; of shear dx/dY
  double nominal, cauchy;             // [Pa] along it: force per undeformed and per deformed area
  double across;                      // dz/dZ - 1
  std::vector<double> internal = {};  // internal variables
};

class LawAtPoint {
 public:
  // Throws Error: Exit::model for a law of large displacements without them.
  LawAtPoint(const Device& cpu, MaterialLaw law, bool large);
  // The next state of the specimen; the internal variables go along. Throws Error: Exit::not_converged where no
  // stresses across vanish.
  PointOfTest step(SpecimenTest test, double strain, const Time& time = {});
  void set_temperature(double temperature) { temperature_ = temperature; }  // for laws that depend on it

  // The first Piola-Kirchhoff stress by rows of the gradient, and its moduli.
  struct Response {
    double stress[rows_of(Space::solid)], moduli[moduli_of(Space::solid, false)];
    double at(int row, int column) const { return moduli[modulus_at(Space::solid, false, row, column)]; }
  };
  // At any displacement gradient, from the state before; accept() makes what followed the state.
  Response respond(const Tensor<double>& gradient, const Time& time);
  void accept() { before_ = now_; }

 private:
  Device device_;
  MaterialLaw law_;
  FormValue form_;  // of the law in space
  std::vector<double> before_, now_;
  Tensor<double> gradient_{};
  double temperature_ = 0;
};

}  // namespace ritz
