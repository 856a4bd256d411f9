#include "device/error.hpp"

#include <algorithm>
#include <numeric>

namespace ritz {
namespace {

std::string full_text(const std::string& what, const std::string& why, const std::string& fix) {
  std::string text = "error: " + what;
  if (!why.empty()) text += "\n  why: " + why;
  if (!fix.empty()) text += "\n  fix: " + fix;
  return text;
}

std::string joined_text(const std::vector<Error>& list) {
  std::string text;
  for (const Error& error : list) {
    if (!text.empty()) text += '\n';
    text += error.what();
  }
  return text;
}

// Levenshtein distance in which a swap of neighbours counts one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

Error::Error(ErrorKind kind, std::string what, std::string why, std::string fix)
    : std::runtime_error(full_text(what, why, fix)),
      kind_(kind),
      message_(std::move(what)),
      why_(std::move(why)),
      fix_(std::move(fix)) {}

Error&& Error::about(ErrorSubject subject) && {
  subject_ = std::move(subject);
  return std::move(*this);
}

Error&& Error::at(const std::string& origin) && {
  if (origin.empty()) return std::move(*this);
  const std::size_t place = origin.find(" at ");
  *this = Error(kind_, message_ + ", " + origin, why_, fix_);
  if (place != std::string::npos) subject_.place = origin.substr(place + 4);
  return std::move(*this);
}

Errors::Errors(std::vector<Error> list)
    : Error(list.front().kind(), joined_text(list).substr(7)), list_(std::move(list)) {}

void ErrorList::add(const ErrorList& other) {
  errors_.insert(errors_.end(), other.errors_.begin(), other.errors_.end());
}

void ErrorList::throw_if_any() const {
  if (errors_.size() == 1) throw errors_.front();
  if (!errors_.empty()) throw Errors(errors_);
}

std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance && 2 * distance <= std::max(word.size(), candidate.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 4) return best;
  const auto begins_with_word = [&](const std::string& candidate) { return lower(candidate).starts_with(lower(word)); };
  if (std::ranges::count_if(candidates, begins_with_word) != 1) return {};
  return *std::ranges::find_if(candidates, begins_with_word);
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return names.empty() ? "none" : text;
}

}  // namespace ritz
