// A JSON Schema (draft 2020-12) of the case files of a program, made of what the program asks: it reads a case that is
// not there (Case::survey) again and again, each time going another way at one point where its way depends on an
// answer, until it has gone each way once. Nothing is written down twice: a key that the program asks for is in the
// schema, and no other.
//
//   const std::string json = case_schema({"ritz-heat", "..."}, [&](std::map<std::string, std::string> taken) { ... });
#pragma once

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
using CaseReader = std::function<SurveyedReading(int mesh, const std::map<std::string, std::string>& taken)>;

struct SchemaTitle {
  std::string program, description;
};

// Keys of a table are required when every complete reading of the table asked for them and had no fallback. What
// depends on another key says so in its description ("only with solver.method = 'gmres'"), but is allowed everywhere:
// --check is strict.
std::string case_schema(const SchemaTitle& title, int mesh_count, const CaseReader& read);

}  // namespace ritz
