#include "apps/analyses/forecast.hpp"

#include "apps/analyses/fields_forecast.hpp"
#include "apps/run/cards.hpp"
#include "apps/run/copy_rate.hpp"
#include "apps/cases/shared_model.hpp"
#include "device/function_ref.hpp"
#include "device/host_memory.hpp"
#include "fem/sensitivity/cell_work.hpp"
#include "fem/analysis/forecast.hpp"
#include "fem/sensitivity/transient_adjoint.hpp"
#include "io/files/byte_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace ritz {
namespace {

void fill(RunReport& report, const RanksForecast& foreseen) {
  RanksForecastReport& of_ranks = report.forecast_of_ranks.emplace();
  of_ranks.path = foreseen.path;
  for (int rank = 0; const RankShare& share : foreseen.shares) {
    RanksForecastReport::Rank& one = of_ranks.ranks.emplace_back();
    one.device_peak = share.peak.total();
    one.moment = share.moment;
    one.factor = share.factor;
    one.by_tag.assign(share.peak.by_tag().begin(), share.peak.by_tag().end());
    one.nodes = share.nodes;
    one.ghosts = share.ghosts;
    one.cells = share.cells;
    one.neighbours = share.neighbours;
    one.messages = foreseen.messages(rank);
    one.bytes = foreseen.bytes(rank++);
  }
}

std::string text_of_share(const std::string& who, const RankShare& share, bool tags) {
  return fmt::format("\n  {:<22} device peak {:>8} ({}){}{}", who, text_of_bytes(share.peak.total()), share.moment,
                     share.factor > 0 ? ", and a factor of " + text_of_bytes(share.factor) : "",
                     tags ? "\n    " + MemoryPool::table(share.peak.by_tag()) : "");
}

// "of each: 7519 to 7520 nodes"
std::string range_text(const RanksForecast& foreseen, const char* what, FunctionRef<Index(int)> number) {
  Index low = number(0), high = low;
  for (int rank = 1; rank < static_cast<int>(foreseen.shares.size()); ++rank) {
    low = std::min(low, number(rank));
    high = std::max(high, number(rank));
  }
  return low == high ? fmt::format("{} {}", low, what) : fmt::format("{} to {} {}", low, high, what);
}

// A line for --check, a table for --estimate. available: to each rank, in bytes; the limit of counted host memory, or
// 0.
std::string text_of_ranks(const RanksForecast& foreseen, Index available, Index host_limit, bool estimate) {
  const std::vector<RankShare>& shares = foreseen.shares;
  const int worst = foreseen.largest_of_others();
  const RankShare& first = shares.front();
  const RankShare& other = shares[static_cast<std::size_t>(worst)];
  const bool fits = std::ranges::all_of(shares, [&](const RankShare& share) {
    const Index counted = share.peak.total() + share.factor;
    return share.peak.total() <= available && (host_limit == 0 || counted <= host_limit);
  });
  std::string text = fmt::format(
      "forecast of {} ranks, {}: device peak {} of the first, {} of the others at most{}; each has {} for it{}",
      shares.size(), foreseen.path, text_of_bytes(first.peak.total()), text_of_bytes(other.peak.total()),
      first.factor > 0 ? fmt::format(", and a factor of {} on the host of each", text_of_bytes(first.factor)) : "",
      text_of_bytes(available),
      fits ? ": fits" : ": does not fit; take more ranks on more machines, or a larger --memory-limit");
  if (!estimate) return text;
  text += text_of_share("first rank", first, true) + text_of_share(fmt::format("rank {}", worst), other, true);
  const auto of = [&](auto member) {
    return [&shares, member](int rank) { return Index{shares[static_cast<std::size_t>(rank)].*member}; };
  };
  text += fmt::format("\n  {}, {}, {} and {}", range_text(foreseen, "nodes", of(&RankShare::nodes)),
                      range_text(foreseen, "ghosts", of(&RankShare::ghosts)),
                      range_text(foreseen, "cells", of(&RankShare::cells)),
                      range_text(foreseen, "neighbours each", of(&RankShare::neighbours)));
  if (foreseen.products + foreseen.products_of_cycle == 0) return text;
  text += fmt::format("\n  sent by each in an iteration, on the finest level: {}, {}",
                      range_text(foreseen, "messages", [&](int rank) { return foreseen.messages(rank); }),
                      range_text(foreseen, "bytes", [&](int rank) { return foreseen.bytes(rank); }));
  return text;
}

// " (4.1 MB where the diagonal alone is enough)", where that may be.
std::string text_of_diagonal(const std::vector<ForecastPath>& paths) {
  const auto diagonal = std::ranges::find(paths, SolverPath::diagonal, &ForecastPath::path);
  if (!paths.front().may_end_with_the_diagonal || diagonal == paths.end()) return "";
  return fmt::format(" ({} where the diagonal alone is enough)", text_of_bytes(diagonal->peak.total()));
}

using HostPeak = std::function<Index(const ForecastPath&, Index at_solve)>;

void fill(RunReport& report, const std::vector<ForecastPath>& paths, const FitsHere& fits, const HostPeak& host) {
  for (const ForecastPath& path : paths) {
    RunForecast& one = report.forecast.emplace_back();
    one.path = name_of(path.path);
    one.device_peak = path.peak.total();
    one.host_peak = host(path, path.at_solve);
    one.by_tag.assign(path.peak.by_tag().begin(), path.peak.by_tag().end());
    one.fits = fits(path);
    one.factor = path.factor;
    one.refresh = path.refresh;
    if (path.refresh > 0) one.host_refresh = host(path, path.refresh);
  }
}

// [nodes] Of cells with nodes of their own.
Index nodes_of_cells_apart(const FunctionSpace& space) {
  Index nodes = 0;
  for (const CellBlock& block : space.mesh().blocks()) {
    const Index cells = std::ssize(block.nodes) / traits(block.kind).node_count;
    nodes += cells * std::ssize(space.element(block.kind).nodes);
  }
  return nodes;
}

// Residuals of cells that share no nodes: one for arrays, another for numbers that may be no formulas. They are
// evaluated one after the other, from u or lambda.
struct WorkApart {
  MemoryNeeds needs;
  int residuals = 0;
  Index nodes;
};
WorkApart work_apart(Run& run, const CaseModel& read) {
  const auto is_array = [&](const std::string& key) { return run.arrays().contains(key); };
  std::vector<std::string> keys = read.gradient->keys;
  const bool by_positions = std::erase(keys, positions_key) > 0;
  WorkApart work{.nodes = nodes_of_cells_apart(read.space())};
  work.needs.array<double>("vectors", work.nodes * read.space().components(), 2);
  if (std::ranges::any_of(keys, is_array)) {
    work.needs += CellWork::memory_needs(read.space(), read.model.equations);
    ++work.residuals;
  }
  if (!std::ranges::all_of(keys, is_array)) {
    work.needs += CellWork::memory_needs(read.space(), read.model.equations, CellWork::OfAll{});
    ++work.residuals;
  }
  // Made for each move of a node, and freed; in time the rates, too.
  if (by_positions) {
    work.needs += CellWork::memory_needs(read.space(), read.time ? with_rates(read.model) : read.model.equations,
                                         CellWork::OfAll{});
    work.residuals += read.time ? 2 : 1;
  }
  return work;
}

// [gradient] has equations, matrix and solver of its own, and residuals of cells that share no nodes. What a single
// static solution took is freed before.
void add_gradient(Run& run, const CaseModel& read, const Differentiable& analysis, Forecast& foreseen) {
  const Transient* const evolution = analysis.evolution;
  const bool alone = analysis.linear != nullptr;
  Model one = read.model;
  one.load_cases.clear();
  const WorkApart apart = work_apart(run, read);
  const Forecast own =
      evolution != nullptr
          ? forecast(one, *evolution)
          : forecast_adjoint(one, alone ? analysis.linear->linear : analysis.load_cases->linear, apart.needs);
  const Index standing = run.device().memory().live();  // a part of both
  constexpr Index place = 40;                           // [bytes] of a node on the host: its position, number and cell
  for (std::size_t i = 0; i < foreseen.paths.size(); ++i) {
    ForecastPath& path = foreseen.paths[i];
    const auto same = std::ranges::find(own.paths, path.path, &ForecastPath::path);
    const ForecastPath& with = same == own.paths.end() ? own.paths.back() : *same;
    MemoryNeeds needs = with.peak;
    Index most = with.at_solve;
    if (evolution != nullptr) {
      needs += apart.needs;
      most += apart.needs.total();
    }
    if (!alone) needs.bytes("solution", path.at_results - standing);
    if (needs.total() > path.peak.total()) path.moment = "gradient";
    path.peak = larger(path.peak, needs);
    path.at_results = std::max(path.at_results, (alone ? 0 : path.at_results) + most);
  }
  foreseen.host_of_elements += own.host_of_elements + apart.residuals * apart.nodes * place;
  if (evolution == nullptr) return;
  foreseen.host_of_columns += adjoint_bytes(read.model, *evolution, expected_steps(*evolution));
}

// Equations between unknowns join nodes in the pattern. Their errors are told afterwards.
void join_nodes(const CaseModel& read) {
  try {
    ModelSupports supports(read.model);
    if (!supports.common().equations().empty()) supports.all().front()->finish();
  } catch (const Error&) { return; }
}

// [bytes] Memory in use before a forecast is made.
struct PresentUse {
  explicit PresentUse(const Device& device) : of_pool(device.memory().live()) {}
  Index of_host = host_memory_now(), counted = host_memory_live(), of_pool;
};

// Memory of the host in the moments of a run.
class HostMoments {
 public:
  HostMoments(Run& run, const PresentUse& now, const Forecast& foreseen, Index shown)
      : run_(run), now_(now), foreseen_(foreseen), shown_(shown) {}

  Index peak(const ForecastPath& path, Index at_solve) const {
    Index peak = host_memory_peak();  // reading the mesh may have been the worst
    for (const Moment& m : moments(path, at_solve)) {
      const Index counted = foreseen_.host_of_elements + m.counted;
      peak = std::max(peak, now_.of_host + counted - m.untouched + m.factor + m.libraries +
                                uncounted::kept_by_allocator(now_.counted + counted));
    }
    return peak;
  }
  // A CPU's factor is in no pool. A limit of 0: none.
  bool keep_below(Index limit, const ForecastPath& path) const {
    const auto holds = [&](const Moment& m) {
      return now_.counted + foreseen_.host_of_elements + m.counted + m.factor <= limit;
    };
    return limit == 0 || std::ranges::all_of(moments(path, path.at_solve), holds);
  }

 private:
  struct Moment {  // in addition to the present use
    Index counted, untouched, factor, libraries;
  };

  std::array<Moment, 4> moments(const ForecastPath& path, Index at_solve) const {
    const Index most = std::max({path.at_assembly, at_solve, path.at_results});
    const bool writes = run_.shared().writes_fields;
    const Index loaded = uncounted::kernels + (writes ? uncounted::writer : 0),
                solver = loaded + (path.host_factor > 0 ? uncounted::factorisation : 0);
    const bool checkpoints = writes && foreseen_.results > 1 && !run_.results().writes_hdf5();
    const Index writer = !writes ? 0 : uncounted::writer_used + (checkpoints ? uncounted::checkpoints : 0);
    const Index staying = run_.shared().sweeps ? path.host_factor : 0;  // for the next member
    const Moment lists{pool(path.at_assembly) + path.host_lists, path.untouched, 0, loaded};
    const Moment assembly{pool(path.at_assembly), 0, 0, loaded};
    const Moment solve{pool(foreseen_.solver_stays ? most : at_solve), 0, path.host_factor, solver};
    const Moment results{pool(foreseen_.solver_stays ? most : path.at_results) + shown_, 0, staying, solver + writer};
    return {lists, assembly, solve, results};
  }
  Index pool(Index bytes) const { return run_.device().is_gpu() ? 0 : bytes - now_.of_pool; }

  Run& run_;
  const PresentUse& now_;
  const Forecast& foreseen_;
  Index shown_;
};

}  // namespace

void report_forecast_of_ranks(Run& run, const RanksForecast& foreseen, Index available) {
  fill(run.report(), foreseen);
  run.log().line("{}", text_of_ranks(foreseen, available, host_memory_limit(), run.options().estimate));
}

void forecast(Run& run, const CaseModel& read, const CaseAnalysis& analysis, const Prepared& prepared) {
  const RunOptions& options = run.options();
  if (!options.check || options.describe || !run.input().sound()) return;  // what is wrong comes first
  const Device& device = run.device();
  if (read.model.has_fields()) {
    if (prepared.fields != nullptr) forecast_fields(run, analysis, *prepared.fields);
    return;
  }
  auto phase = device.profile().phase("forecast");
  join_nodes(read);
  const PresentUse now(device);
  const Index available = device.memory().available() + now.of_pool, host_limit = host_memory_limit();
  Forecast foreseen = analysis.forecast(run, read, prepared);
  if (read.gradient) add_gradient(run, read, analysis.differentiable(), foreseen);
  const std::vector<ForecastPath>& paths = foreseen.paths;
  const HostMoments host(run, now, foreseen, analysis.host_of_shown(run, read, foreseen));
  const Index free = device.machine().current_info().memory_free;  // 0: the machine does not say
  const auto fits = [&](const ForecastPath& path) {
    return host.keep_below(host_limit, path) && path.peak.total() <= available &&
           (free == 0 || needs_of_one(path) <= free + now.of_pool);
  };
  fill(run.report(), paths, fits, [&](const ForecastPath& path, Index at_solve) { return host.peak(path, at_solve); });
  if (foreseen.ranks) report_forecast_of_ranks(run, *foreseen.ranks, available);
  run.log().line(
      "{}: {} unknowns, device peak {}{}, host peak {}; {} has {} for it{}: {}",
      foreseen.ranks ? "forecast of one process" : "forecast", read.space().unknown_count(),
      text_of_bytes(paths.front().peak.total()), text_of_diagonal(paths),
      text_of_bytes(run.report().forecast.front().host_peak), device.info().name, text_of_bytes(available),
      host_limit > 0 ? fmt::format(", and the limit of counted host memory is {}", text_of_bytes(host_limit)) : "",
      verdict(paths, fits));
  if (const Index refresh = paths.front().refresh; refresh > paths.front().peak.total())
    run.log().line(
        "where the matrices of {} differ so much that the hierarchy is refreshed: device peak {}, or it is rebuilt "
        "where that does not fit",
        run.shared().sweeps ? "members" : "Newton's steps", text_of_bytes(refresh));
  if (!options.estimate) return;
  auto measuring = device.profile().phase("copy rate");
  const CopyRate copies = known_copy_rate(device, available);
  if (copies.rate > 0)
    run.log().line("times: by a copy rate of {:.1f} GB/s, measured {}", 1e-9 * copies.rate,
                   copies.from_before ? "here before ('ritz devices' measures again)" : "now");
  run.log().line("{}{}", text_of_paths(paths, copies.rate, device.is_gpu() ? 0 : device.threads()),
                 text_of_cards(paths));
}

}  // namespace ritz
