// The tables that act in a step of a case. A table of a step takes the place of earlier ones of its kind on the same
// region, or of all where it is a single [table]; what [[step.remove]] names is gone; all others stay.
#include "io/case/case_data.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The names as they stand there: entries of one kind are told apart by it. Empty: it has no region.
std::string region_of(CaseValue& entry) {
  const CaseMember* region = entry.find("region");
  return region == nullptr || region->value.implicit ? "" : inline_text(region->value);
}

std::string text_at(CaseValue& table, std::string_view key) {
  const CaseMember* member = table.find(key);
  return member != nullptr && member->value.kind == CaseValue::Kind::text ? member->value.text : "";
}

std::vector<CaseValue*> removals_of(CaseValue& step) {
  std::vector<CaseValue*> result;
  if (CaseMember* list = step.find("remove"); list != nullptr && list->value.is_array_of_tables())
    for (CaseValue& each : list->value.items) result.push_back(&each);
  return result;
}

bool removes(CaseValue& removal, std::string_view key, CaseValue& entry) {
  const std::string region = region_of(removal);
  return text_at(removal, "table") == key && (region.empty() || region == region_of(entry));
}

CaseValue* step_at(CaseData& data, std::size_t step) {
  CaseMember* const list = data.root.find("step");
  return list != nullptr && list->value.is_array_of_tables() && step < list->value.items.size()
             ? &list->value.items[step]
             : nullptr;
}

bool is_of_run(const CaseData& data, std::string_view key) {
  return key == "step" || contains(data.step_tables.of_run, key);
}

// Steps up to the last whose tables of this kind may act in it.
std::vector<std::size_t> steps_for(const CaseData& data, std::string_view key, std::size_t last) {
  std::vector<std::size_t> steps;
  if (is_of_run(data, key)) return steps;
  for (std::size_t step = contains(data.step_tables.of_one, key) ? last : 0; step <= last; ++step)
    steps.push_back(step);
  return steps;
}

// The tables of a source take their places among those that act.
void join(CaseValue& source, std::string_view key, std::vector<CaseValue*>& acting) {
  for (CaseValue* removal : removals_of(source))
    std::erase_if(acting, [&](CaseValue* entry) { return removes(*removal, key, *entry); });
  CaseMember* const member = source.find(key);
  if (member == nullptr || member->value.implicit) return;
  if (member->value.kind == CaseValue::Kind::table) {
    acting = {&member->value};
    return;
  }
  if (!member->value.is_array_of_tables()) return;
  std::vector<CaseValue*> own;
  for (CaseValue& entry : member->value.items) own.push_back(&entry);
  std::erase_if(acting, [&](CaseValue* before) {
    const std::string region = region_of(*before);
    return !region.empty() && std::ranges::any_of(own, [&](CaseValue* entry) { return region_of(*entry) == region; });
  });
  acting.insert(acting.end(), own.begin(), own.end());
}

std::vector<CaseValue*> acting_in(CaseData& data, std::string_view key, std::size_t last) {
  std::vector<CaseValue*> acting;
  join(data.root, key, acting);
  for (const std::size_t step : steps_for(data, key, last))
    if (CaseValue* const source = step_at(data, step)) join(*source, key, acting);
  return acting;
}

std::vector<CaseValue*> acting_before(CaseData& data, std::string_view key, std::size_t step) {
  if (step > 0) return acting_in(data, key, step - 1);
  std::vector<CaseValue*> acting;
  join(data.root, key, acting);
  return acting;
}

std::string title_of(std::string_view key, const CaseValue& value) {
  return value.kind == CaseValue::Kind::table ? fmt::format("[{}]", key) : fmt::format("[[{}]]", key);
}

// Tables of the case that the first step replaces or removes act nowhere.
void find_idle(CaseData& data) {
  for (const CaseMember& member : data.root.members) {
    if (is_of_run(data, member.key) || contains(data.step_tables.of_one, member.key)) continue;
    const std::vector<CaseValue*> before = acting_before(data, member.key, 0), now = acting_in(data, member.key, 0);
    for (const CaseValue* entry : before)
      if (std::ranges::find(now, entry) == now.end())
        data.add(Error(ErrorKind::step,
                       fmt::format("{} at {} acts in no step", title_of(member.key, member.value), entry->place.text()),
                       "the first step replaces or removes it", "leave it out, or move it into a step"),
                 entry->place);
  }
}

void find_tables_of_run(CaseData& data, CaseValue& step, const std::string& path) {
  for (CaseMember& member : step.members) {
    if (!is_of_run(data, member.key)) continue;
    data.add(
        Error(ErrorKind::step, fmt::format("a step has '{}.{}' at {}", path, member.key, member.value.place.text()),
              "it is one for all steps", "move it out of the step"),
        member.value.place);
    member.asked = true;
    mark_asked(member.value);
  }
}

void find_idle_removals(CaseData& data, CaseValue& step, std::size_t number) {
  for (CaseValue* removal : removals_of(step)) {
    const std::string key = text_at(*removal, "table");
    if (key.empty()) continue;  // it removes a part, or lacks a key
    const std::vector<CaseValue*> before = acting_before(data, key, number);
    if (std::ranges::any_of(before, [&](CaseValue* entry) { return removes(*removal, key, *entry); })) continue;
    std::vector<std::string> regions;
    for (CaseValue* entry : before)
      if (const std::string region = region_of(*entry); !region.empty()) regions.push_back(region);
    const std::string region = region_of(*removal);
    data.add(Error(ErrorKind::step,
                   fmt::format("nothing to remove: no table '{}'{} acts before this step, step.{}.remove at {}", key,
                               region.empty() ? "" : " on the region " + region, number, removal->place.text()),
                   before.empty()    ? ""
                   : regions.empty() ? "those that act have no region"
                                     : fmt::format("those that act are on {}", quoted_list(regions)),
                   "name a table that acts, or omit the removal"),
             removal->place);
  }
}

}  // namespace

void Case::enter_step(std::size_t step, const StepTables& tables) {
  data_->step_tables = tables;
  CaseValue* const entered = step_at(*data_, step);
  if (entered == nullptr) return;
  data_->step = step;
  if (step == 0) find_idle(*data_);
  find_tables_of_run(*data_, *entered, fmt::format("step.{}", step));
  find_idle_removals(*data_, *entered, step);
}

void Case::open_steps(const StepTables& tables) {
  if (!data_->survey) return;
  CaseQuestion question{"step[].*", tables_of_the_root, "", "", ""};
  question.limits.choices = tables.of_run;
  question.limits.choices.emplace_back("step");
  data_->remember(std::move(question));
}

std::vector<Case::Table> Case::Table::sources(std::string_view key) const {
  std::vector<Table> result{*this};
  for (const std::size_t step : steps_for(*data_, key, *data_->step)) {
    Table& table = result.emplace_back();
    table.data_ = data_;
    table.value_ = step_at(*data_, step);
    table.path_ = fmt::format("step.{}", step);
    table.name_ = std::to_string(step);
  }
  return result;
}

Case::Table Case::Table::table_of_step(std::string_view key, std::string_view about) const {
  const std::vector<CaseValue*> acting = acting_in(*data_, key, *data_->step);
  std::optional<Table> result;
  for (const Table& source : sources(key)) {
    const CaseAnswer answer(*data_, *source.value_, key, source.full_path(key), about);
    const bool given = answer.value() != nullptr && !answer.value()->implicit;
    // One of another kind has its error from own_table().
    if (given && (acting.empty() ? answer.value()->kind != CaseValue::Kind::table : answer.value() == acting.back()))
      result = source.own_table(key, about);
  }
  if (result) return *result;
  const CaseMember* own = value_->find(key);
  if (own == nullptr || own->value.implicit) return own_table(key, about);
  Table removed = *this;
  removed.value_ = &data_->scratch.emplace_back();
  removed.value_->implicit = true;
  removed.path_ = full_path(key);
  removed.schema_path_ = schema_key(key);
  removed.name_ = std::string(key);
  return removed;
}

std::vector<Case::Table> Case::Table::tables_of_step(std::string_view key, std::string_view about) const {
  const std::vector<CaseValue*> acting = acting_in(*data_, key, *data_->step);
  std::vector<Table> result;
  for (const Table& source : sources(key))
    for (Table& entry : source.entries(key, about))
      if (std::ranges::find(acting, entry.value_) != acting.end()) result.push_back(std::move(entry));
  return result;
}

bool Case::Table::step_has(std::string_view key) const {
  for (const Table& source : sources(key)) source.value_->looked_for.emplace_back(key);
  if (const CaseMember* own = value_->find(key); own != nullptr && !own->value.implicit)
    if (own->value.kind != CaseValue::Kind::table && !own->value.is_array_of_tables()) return true;
  return !acting_in(*data_, key, *data_->step).empty();
}

std::vector<std::string> Case::Table::keys_of_step() const {
  std::vector<std::string> keys;
  const auto add = [&](const CaseValue& source) {
    for (const CaseMember& member : source.members)
      if (!member.value.implicit && !contains(keys, member.key)) keys.push_back(member.key);
  };
  add(*value_);
  for (std::size_t step = 0; step <= *data_->step; ++step) add(*step_at(*data_, step));
  std::erase_if(keys, [&](const std::string& key) {
    const CaseMember* own = value_->find(key);
    const bool plain = own != nullptr && own->value.kind != CaseValue::Kind::table && !own->value.is_array_of_tables();
    return !plain && acting_in(*data_, key, *data_->step).empty();
  });
  return keys;
}

}  // namespace ritz
