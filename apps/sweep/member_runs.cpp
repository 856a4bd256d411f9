#include "apps/sweep/member_runs.hpp"

#include "apps/results/results.hpp"
#include "device/memory_shortage.hpp"
#include "io/files/checksum.hpp"
#include "io/files/included_files.hpp"
#include "io/results/file_field.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <optional>

namespace ritz {
namespace {

// A series is a list of the files that hold its steps.
std::vector<std::string> parts_of(const std::string& file) {
  std::vector<std::string> parts = with_included_files(file);
  if (!file.ends_with(".pvd")) return parts;
  try {
    for (const std::string& step : files_of_series(file))
      for (const std::string& part : with_included_files(step))
        if (std::filesystem::is_regular_file(part)) parts.push_back(part);
  } catch (const Error&) {}  // the run of the member reports it
  return parts;
}

}  // namespace

RunOptions member_options(const RunOptions& of_sweep, const std::string& folder, const SweepMember& member) {
  RunOptions options = of_sweep;
  options.member = member.name;
  for (const std::string& text : member.overrides()) options.overrides.push_back(text);
  options.output = folder;
  options.json = options.profile = "";
  // the forecast is what --estimate is for
  options.quiet = of_sweep.quiet || (!of_sweep.verbose && !of_sweep.estimate);
  options.resume = false;  // a member is done or not
  options.notices.clear();
  return options;
}

SweepOutcome outcome_of(const SweepMember& member, const RunReport& report) {
  SweepOutcome outcome;
  outcome.name = member.name;
  outcome.values = member.values;
  outcome.status = report.status;
  outcome.exit = report.exit;
  outcome.probes = report.probes;
  outcome.facts = report.facts;
  for (const auto* list : {&report.load_cases, &report.combinations, &report.steps})
    for (const LoadCaseOutcome& each : *list) {
      for (const auto& [name, values] : each.probes) outcome.probes.emplace_back(each.name + ":" + name, values);
      for (const auto& [name, fact] : each.facts) outcome.facts[each.name + ":" + name] = fact;
    }
  if (!report.solves.empty()) outcome.iterations = report.solves.back().iterations;
  outcome.outputs = report.outputs;
  return outcome;
}

std::string MemberFingerprints::of(const SweepMember& member) {
  Case input = Case::from_file(options_.case_file, member_options(options_, "", member).overrides);
  input.drop("sweep");
  input.drop("output");
  std::string text = program_ + input.resolved();
  input.root().path("plugin", "", {.fallback = ""});
  input.table("mesh", "").path("file", "", {.fallback = ""});
  for (const Case::Table& table : input.tables("table", "")) table.path("file", "", {.fallback = ""});
  for (const Case::Table& table : input.tables("field", "")) table.path("file", "", {.fallback = ""});
  input.table("initial", "").path("file", "", {.fallback = ""});
  input.table("thermal", "").path("file", "", {.fallback = ""});
  for (const Case::Table& table : input.tables("load_case", ""))
    table.table("thermal", "").path("file", "", {.fallback = ""});
  for (const std::string& file : input.files()) text += fmt::format("{:08x}", checksum(file));
  return fmt::format("{:08x}", crc32_of(text));
}

// Includes the files that this one includes or lists.
std::uint32_t MemberFingerprints::checksum(const std::string& file) {
  const auto [found, is_new] = checksums_.try_emplace(file, 0);
  if (is_new)
    for (const std::string& part : parts_of(file))
      found->second = crc32_of(fmt::format("{:08x}", checksum_of_file(part).crc32), found->second);
  return found->second;
}

MemberRuns::MemberRuns(const AppInfo& info, const RunOptions& options, const std::string& folder, const SweepApp& app,
                       const SweepPlan& plan, std::shared_ptr<SharedModel> shared)
    : info_(info),
      options_(options),
      folder_(folder),
      app_(app),
      plan_(plan),
      shared_(std::move(shared)),
      batch_(batch_limit(plan), [this](Run& run, std::exception_ptr error) { done(run, error); }) {
  shared_->batch = &batch_;
}

void MemberRuns::start(const SweepMember& member, const std::string& fingerprint) {
  Active& active = active_.emplace_back(Active{&member, fingerprint, std::chrono::steady_clock::now(), nullptr});
  try {
    active.run = std::make_unique<Run>(info_, member_options(options_, folder_, member), shared_);
    Run& run = *active.run;
    app_(run);
    if (std::ranges::any_of(active_, [&](const Active& each) { return each.run.get() == &run; }) && !batch_.waits(run))
      done(run, nullptr);
  } catch (const Error& error) {
    if (ends_the_sweep(error)) throw;
    fail(member, error);
  } catch (const std::bad_alloc&) { fail(member, host_memory_error()); }
}

// Called for a member that has waited, or has not had to.
void MemberRuns::done(Run& run, std::exception_ptr error) {
  const auto found = std::ranges::find_if(active_, [&](const Active& each) { return each.run.get() == &run; });
  const SweepMember& member = *found->member;
  try {
    if (error) std::rethrow_exception(error);
  } catch (const Error& failure) {
    if (ends_the_sweep(failure)) throw;
    return fail(member, failure);
  } catch (const std::bad_alloc&) { return fail(member, host_memory_error()); }
  if (const std::optional<Error> lack = run.results().lack()) return fail(member, *lack);
  auto phase = shared_->device->profile().phase("output");
  RunReport report = std::move(run.report());
  report.complete();
  finish(member, report, run.results().committed());
}

void MemberRuns::fail(const SweepMember& member, const Error& error) {
  const auto found = std::ranges::find(active_, &member, &Active::member);
  if (found == active_.end()) return;
  RunReport report;
  if (found->run) report = std::move(found->run->report());
  report.fail(error);
  finish(member, report,
         found->run && found->run->results().lacks_fields() ? found->run->results().committed()
                                                            : std::vector<std::string>());
}

void MemberRuns::finish(const SweepMember& member, const RunReport& report, std::vector<std::string> steps) {
  const auto active = std::ranges::find(active_, &member, &Active::member);
  SweepRecord record{.member = std::size_t(&member - plan_.members.data()),
                     .row = SweepTable::row_of(report, active->fingerprint),
                     .steps = std::move(steps),
                     .outcome = outcome_of(member, report),
                     .errors = report.errors,
                     .fallbacks = {},
                     .mesh_file = report.mesh_file,
                     .cells = report.cells,
                     .nodes = report.nodes,
                     .unknowns = report.unknowns};
  const auto taken = std::chrono::steady_clock::now() - active->start;
  record.outcome.seconds = std::chrono::duration<double>(taken).count();
  for (const auto& solve : report.solves)
    record.fallbacks.insert(record.fallbacks.end(), solve.fallbacks.begin(), solve.fallbacks.end());
  finished_.push_back(std::move(record));
  active_.erase(active);
}

}  // namespace ritz
