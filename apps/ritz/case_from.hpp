// `ritz case from DECK`: a case file with what an Abaqus or CalculiX deck says of materials, supports, loads and steps.
// A card that changes results and is not translated is an error.
#pragma once

#include "device/error.hpp"

#include <string>

namespace ritz {

struct CaseFrom {
  std::string deck, to;  // to: empty for standard output
  bool overwrite = false;
  bool partial = false;        // write the case without what is missing
  std::string units = "none";  // of the deck: SI, mm, none
};

struct WrittenCase {
  std::string text;   // of the case when `to` is empty; else a line of what was written
  ErrorList missing;  // cards of the deck that are not in the case
};

// Writes the case, or returns its text when `to` is empty. Throws Error for a deck that cannot be read, a file that
// exists, and, unless `partial`, for the cards that are missing.
WrittenCase case_from(const CaseFrom& question);

}  // namespace ritz
