#include "apps/sweep/sweep_record.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using nlohmann::json;

json to_json(const Error& error) { return {int(error.kind()), error.message(), error.why(), error.fix()}; }
Error error_of(const json& j) { return Error(ErrorKind(j.at(0).get<int>()), j.at(1), j.at(2), j.at(3)); }

// JSON has no NaN and writes null.
double number_of(const json& j) { return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>(); }

json to_json(const SweepRecord& r) {
  json errors = json::array();
  for (const Error& error : r.errors) errors.push_back(to_json(error));
  return {{"member", r.member},
          {"row", {r.row.status, r.row.fingerprint, r.row.cells}},
          {"steps", r.steps},
          {"status", r.outcome.status},
          {"exit", int(r.outcome.exit)},
          {"probes", r.outcome.probes},
          {"facts", r.outcome.facts},
          {"iterations", r.outcome.iterations},
          {"seconds", r.outcome.seconds},
          {"outputs", r.outcome.outputs},
          {"errors", errors},
          {"fallbacks", r.fallbacks},
          {"mesh", {r.mesh_file, r.cells, r.nodes, r.unknowns}}};
}

SweepRecord record_of(const json& j) {
  SweepRecord r;
  r.member = j.at("member");
  r.row = {j.at("row").at(0), j.at("row").at(1), j.at("row").at(2)};
  r.steps = j.at("steps");
  r.outcome.status = j.at("status");
  r.outcome.exit = Exit(j.at("exit").get<int>());
  for (const json& probe : j.at("probes")) {
    auto& [name, values] = r.outcome.probes.emplace_back();
    name = probe.at(0);
    for (const json& value : probe.at(1)) values.push_back(number_of(value));
  }
  r.outcome.facts = j.at("facts");
  r.outcome.iterations = j.at("iterations");
  r.outcome.seconds = j.at("seconds");
  r.outcome.outputs = j.at("outputs");
  for (const json& error : j.at("errors")) r.errors.push_back(error_of(error));
  r.fallbacks = j.at("fallbacks");
  const json& mesh = j.at("mesh");
  r.mesh_file = mesh.at(0);
  r.cells = mesh.at(1), r.nodes = mesh.at(2), r.unknowns = mesh.at(3);
  return r;
}

}  // namespace

void SweepCounts::add(const SweepCounts& other) {
  largest_batch = std::max(largest_batch, other.largest_batch);
  batches += other.batches, matrices += other.matrices, analyses += other.analyses;
  factorisations += other.factorisations, set_ups += other.set_ups;
  refreshes += other.refreshes, used_on += other.used_on;
}

std::string to_text(const SweepHandOver& message) {
  const SweepCounts& c = message.counts;
  json j{{"records", json::array()},
         {"journal", message.journal},
         {"last", message.last},
         {"counts",
          {c.batches, c.largest_batch, c.matrices, c.analyses, c.factorisations, c.set_ups, c.refreshes, c.used_on}}};
  for (const SweepRecord& record : message.records) j["records"].push_back(to_json(record));
  if (message.error) j["error"] = to_json(*message.error);
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

SweepHandOver hand_over_of(const std::string& text) {
  const json j = json::parse(text);
  SweepHandOver message;
  for (const json& record : j.at("records")) message.records.push_back(record_of(record));
  message.journal = j.at("journal");
  message.last = j.at("last");
  SweepCounts& c = message.counts;
  std::size_t at = 0;
  for (std::int64_t* count : {&c.batches, &c.largest_batch, &c.matrices, &c.analyses, &c.factorisations, &c.set_ups,
                              &c.refreshes, &c.used_on})
    *count = j.at("counts").at(at++);
  if (j.contains("error")) message.error = error_of(j.at("error"));
  return message;
}

}  // namespace ritz
