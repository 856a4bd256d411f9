// A run as one HTML file that needs no other and no network: the body, to be turned, with the fields of its steps;
// results, balance, convergence, notices, materials, loads and supports, times, versions.
//
//   write_page("run.html", {.report = to_json(report), .resolved = case.resolved(), .shown = &shown, .look = look});
#pragma once

#include "apps/show/curves.hpp"
#include "apps/show/shown.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ritz {

// Curves over one axis, and a table of numbers that belong to them.
struct PageFigure {
  std::string title, over;  // "distance [m]"
  std::vector<Curve> curves;
  std::vector<std::vector<std::string>> table = {};  // rows, the first one its head
};

struct Page {
  std::string report;    // as --json writes it
  std::string resolved;  // the case as it was solved, in TOML; empty: it could not be read
  const Shown* shown = nullptr;
  Look look;
  std::vector<std::pair<std::string, std::string>> versions = {};  // of a calling program
  std::vector<PageFigure> figures = {};                            // of probes and of paths
};

// Throws Error: Exit::input for a look that does not fit the fields.
std::string html_of(const Page& page);

// The texts of a case as Ritz writes it, a key on each line: its tables, (name, lines).
std::vector<std::pair<std::string, std::vector<std::string>>> tables_of(const std::string& resolved);

}  // namespace ritz
