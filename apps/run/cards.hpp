// GPUs that one may think of, and whether a forecast fits them.
#pragma once

#include "device/function_ref.hpp"
#include "fem/analysis/static_forecast.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

struct KnownCard {
  std::string name;
  Index memory = 0;      // [bytes] that a program can have: what is sold less what the driver and its context keep
  double copy_rate = 0;  // [bytes/s] read plus written, of what the data sheet says as much as copies reach
};
// Built in; or the file that $RITZ_CARDS names: "name; GB; GB/s" on each line, # before remarks. Throws
// Error: Exit::input.
std::vector<KnownCard> known_cards();

// [bytes] On one device that holds everything, the factor included.
Index needs_of_one(const ForecastPath& path);
using FitsHere = FunctionRef<bool(const ForecastPath&)>;
// "fits", "fits with: without a matrix", "does not fit"
std::string verdict(const std::vector<ForecastPath>& paths, const FitsHere& fits);

// One line per path and its tags; one line per card.
// [bytes/s]; 0: no times
std::string text_of_paths(const std::vector<ForecastPath>& paths, double copy_rate, int threads);
std::string text_of_cards(const std::vector<ForecastPath>& paths);

}  // namespace ritz
