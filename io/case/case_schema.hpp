// Makes a JSON Schema (draft 2020-12) of the case files of a program from the program's questions. The program reads an
// imagined case (Case::survey) repeatedly, each time taking another branch at one point where the reading depends on an
// answer, until each branch was taken once. Nothing is written down twice: a key that the program reads is in the
// schema, and no other.
//
//   const std::string json = case_schema({"ritz-heat", "..."}, [&](std::map<std::string, std::string> taken) { ... });
#pragma once

#include "device/function_ref.hpp"
#include "io/case/case.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ritz {

// One reading that takes these ways, on one of several meshes. `complete`: it came to its end.
struct SurveyedReading {
  CaseReading reading;
  bool complete = false;
};
using CaseReader = FunctionRef<SurveyedReading(int mesh, const std::map<std::string, std::string>& taken)>;

struct SchemaTitle {
  std::string program, description;
};

// Keys of a table are required when every complete reading of the table asked for them and had no fallback. Keys that
// depend on another key have this in their description ("only with solver.method = 'gmres'"), but are allowed
// everywhere: --check is strict.
std::string case_schema(const SchemaTitle& title, int mesh_count, const CaseReader& read);

}  // namespace ritz
