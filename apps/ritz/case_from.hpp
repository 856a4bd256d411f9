// `ritz case from DECK`: a case file with what an Abaqus or CalculiX deck says of materials, supports, loads and steps.
// Lines that Ritz does not read are left as comments with its line, never dropped in silence.
#pragma once

#include <string>

namespace ritz {

struct CaseFrom {
  std::string deck, to;  // to: empty for standard output
  bool overwrite = false;
};

// Writes the case, or returns its text when `to` is empty; else a line of what was written. Throws Error for a deck
// that cannot be read and a file that exists.
std::string case_from(const CaseFrom& question);

}  // namespace ritz
