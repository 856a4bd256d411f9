#include "io/decks/deck_cards.hpp"

#include "device/error.hpp"
#include "io/files/included_files.hpp"
#include "io/files/input_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ritz {
namespace {

std::string deck_word(std::string_view text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && is_space(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back(deck_word(line.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) break;
    begin = comma + 1;
  }
  if (fields.size() > 1 && fields.back().empty()) fields.pop_back();
  return fields;
}

void add_parameters(DeckCard& card, std::vector<std::string> words) {
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    card.parameters[in_capitals(deck_word(std::string_view(word).substr(0, equals)))] =
        equals == std::string::npos ? "" : deck_word(std::string_view(word).substr(equals + 1));
  }
}

// Surfaces stay: a load on shells needs to know which side they name.
bool holds_mesh(const std::string& keyword) {
  static constexpr std::array words{"NODE", "ELEMENT", "NSET", "ELSET", "HEADING"};
  return std::ranges::find(words, keyword) != words.end();
}

std::string without_blanks(std::string_view text) {
  std::string word;
  std::ranges::copy_if(text, std::back_inserter(word), [](char c) { return c != ' ' && c != '\t'; });
  return word;
}

// Capitals, with single blanks. CalculiX ignores blanks: *SOLIDSECTION is *SOLID SECTION.
std::string keyword_of(const std::string& text) {
  static constexpr std::array of_two_words{
      "SOLID SECTION", "SHELL SECTION", "BEAM SECTION",  "BEAM GENERAL SECTION", "HEAT TRANSFER",
      "SPECIFIC HEAT", "LOAD CASE",     "END LOAD CASE", "PHYSICAL CONSTANTS",   "INITIAL CONDITIONS",
      "END STEP",      "NODE FILE",     "EL FILE",       "NODE PRINT",           "EL PRINT"};
  std::string word;
  for (const char c : in_capitals(text))
    if (c != ' ' && c != '\t') word += c;
    else if (!word.empty() && word.back() != ' ') word += ' ';
  const auto same = std::ranges::find_if(
      of_two_words, [&](const char* each) { return without_blanks(each) == without_blanks(word); });
  return same != of_two_words.end() ? *same : word;
}

// One state for all files: data lines and continued keyword lines run on into an included file and out of it.
class CardReader {
 public:
  explicit CardReader(std::string deck) : deck_(std::move(deck)) {}

  std::vector<DeckCard> read() {
    read_file(deck_, 0);
    return std::move(cards_);
  }

 private:
  void read_file(const std::string& path, int depth) {
    if (depth > 50)
      throw Error(ErrorKind::deck, fmt::format("the deck {} includes itself", path), "", "remove that *INCLUDE");
    std::optional<std::string> text = text_of_input(path);
    if (!text)
      throw Error(ErrorKind::deck, fmt::format("cannot read the deck '{}': it {}", path, reason_not_to_read(errno)), "",
                  "check the name");
    std::istringstream file(std::move(*text));
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      take(path, number, deck_word(line), depth);
    }
    complete(depth);
  }

  void take(const std::string& path, int number, const std::string& text, int depth) {
    if (text.empty() || text.starts_with("**")) return;
    if (text.starts_with('*')) {
      complete(depth);
      std::vector<std::string> words = fields_of(text.substr(1));
      started_ =
          DeckCard{.keyword = keyword_of(words.front()), .parameters = {}, .data = {}, .file = path, .line = number};
      words.erase(words.begin());
      add_parameters(*started_, words);
    } else if (started_) add_parameters(*started_, fields_of(text));
    else if (!skips_) cards_.back().data.push_back(fields_of(text));
    if (started_ && !text.ends_with(',')) complete(depth);
  }

  // The keyword line has ended.
  void complete(int depth) {
    if (!started_) return;
    DeckCard card = *std::exchange(started_, std::nullopt);
    const std::string from = card.file, input = card.parameter("INPUT");
    if (card.keyword != "INCLUDE") {
      skips_ = holds_mesh(card.keyword);
      cards_.push_back(std::move(card));
    }
    if (!input.empty()) read_file(included_path(deck_, from, input), depth + 1);
  }

  std::string deck_;
  std::vector<DeckCard> cards_;
  std::optional<DeckCard> started_;  // whose parameters are being read
  bool skips_ = true;
};

}  // namespace

std::string DeckCard::parameter(const std::string& name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : found->second;
}

std::string DeckCard::text(std::size_t row, std::size_t field) const {
  return row < data.size() && field < data[row].size() ? data[row][field] : "";
}

double DeckCard::number(std::size_t row, std::size_t field) const {
  std::string word = text(row, field);
  if (word.empty()) return 0;
  std::ranges::replace_if(
      word, [](char c) { return c == 'd' || c == 'D'; }, 'e');  // Fortran's exponent
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (*end != '\0')
    throw Error(ErrorKind::deck, fmt::format("'{}' of *{} is no number, {}:{}", word, keyword, file, line), "",
                "correct the deck");
  return value;
}

std::vector<DeckCard> read_cards(const std::string& path) { return CardReader(path).read(); }

}  // namespace ritz
