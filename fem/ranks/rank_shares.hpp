// Forecast of what each of several ranks takes: memory by tag, and what it sends in an iteration.
#pragma once

#include "device/memory_needs.hpp"

#include <string>
#include <vector>

namespace ritz {

struct RankShare {
  Index nodes = 0, ghosts = 0, cells = 0;  // owned; of others that its rows reach; those around the owned ones
  Index sent = 0;                          // nodes, in all messages of one product
  int neighbours = 0;
  MemoryNeeds peak = {};    // of the pool
  std::string moment = {};  // of the peak, as in ForecastPath
  Index factor = 0;         // [bytes] that MUMPS needs on the host, beside the peak
};

struct RanksQuestion {
  int ranks;
  Index factor = 0;  // [bytes] that one process needs for a factor
};

struct RanksForecast {
  std::string path;               // how the system is solved
  std::vector<RankShare> shares;  // [rank], with arrays of the whole model
  // In an iteration, between the ranks' nodes of the finest level: products in double precision and in that of the
  // cycle, each with one message to a neighbour.
  int products = 1, products_of_cycle = 0;
  Index bytes_per_node = 0;  // of all of them

  Index messages(int rank) const;  // of an iteration
  Index bytes(int rank) const;
  int largest_of_others() const;  // the rank after the first that takes most
};

// [bytes] that each of several ranks has of a factor by parallel MUMPS, from what one process needs.
Index factor_of_rank(Index of_one_process, int ranks);

}  // namespace ritz
