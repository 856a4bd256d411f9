// [sweep] of a case: which members there are, and which values each has. A member is the case with some keys set to
// other values.
//
//   [[sweep.parameter]]                      [[sweep.parameter]]             [sweep]
//   key = "material.0.young"                 key = "pressure.0.value"        table = "members.csv"   # for the keys
//   values = [70e9, 210e9]                   from = 1e5
//                                            to = 1e6
//                                            count = 10
#pragma once

#include "io/case/case.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct SweepMember {
  std::string name;                                         // "bracket-07", or "bracket-" and the table's name
  std::vector<std::pair<std::string, std::string>> values;  // key -> TOML
  std::vector<std::string> overrides() const;               // "key=value"
  std::string text() const;                                 // "material.0.young = 7e10, pressure.0.value = 1e5"
};

struct SweepPlan {
  std::vector<std::string> keys;
  std::vector<SweepMember> members;
  bool fields = true;                          // result files of each member; else the table only
  int batch = 0;                               // members solved together at most; 0: as memory allows
  bool touches(std::string_view table) const;  // is "mesh" or a key in it among the keys?
  // Members, one after the other, that differ in nothing but keys of these tables: the most there are.
  int most_alike(const std::vector<std::string>& tables) const;
};

// Asks for [sweep]; mistakes are added to the case. `stem`: of the case file, with which names begin.
SweepPlan read_sweep(Case& input, const std::string& stem);

}  // namespace ritz
