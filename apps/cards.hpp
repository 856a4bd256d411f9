// GPUs that one may think of, and whether a forecast fits them.
#pragma once

#include "fem/static_forecast.hpp"

#include <string>
#include <vector>

namespace ritz {

struct KnownCard {
  std::string name;
  Index memory = 0;        // [bytes] that a program can have: what is sold less what the driver and its context keep
  double copy_rate = 0;    // [bytes/s] read plus written, of what the data sheet says as much as copies reach
};
// Built in; or the file that $RITZ_CARDS names: "name; GB; GB/s" on each line, # before remarks. Throws Error(Exit::input).
std::vector<KnownCard> known_cards();

// The first path that fits; nullptr: none.
const ForecastPath* first_that_fits(const std::vector<ForecastPath>& paths, Index memory);
// "fits", "fits with: without a matrix", "does not fit"
std::string verdict(const std::vector<ForecastPath>& paths, Index memory);

// One line per path and its tags; one line per card.
std::string text_of_paths(const std::vector<ForecastPath>& paths, double copy_rate);  // [bytes/s]; 0: no times
std::string text_of_cards(const std::vector<ForecastPath>& paths);

}  // namespace ritz
