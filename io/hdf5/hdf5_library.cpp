#include "io/hdf5/hdf5_library.hpp"

#include "device/error.hpp"
#include "io/files/checksum.hpp"
#include "io/files/late_library.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace ritz {

const Hdf5Library& hdf5_library() {
  static const auto& library = *static_cast<const Hdf5Library*>(late_library("ritz_hdf5", "ritz_hdf5", "HDF5"));
  return library;
}

std::unique_ptr<Hdf5File> Hdf5File::create(const std::string& path) { return hdf5_library().create(path); }
std::unique_ptr<Hdf5File> Hdf5File::open_for_writing(const std::string& path) {
  return hdf5_library().open_for_writing(path);
}
std::unique_ptr<Hdf5File> Hdf5File::open(const std::string& path) { return hdf5_library().open(path); }

std::size_t size_of(Hdf5Type type) {
  constexpr std::size_t sizes[] = {8, 4, 8, 4, 1, 0};
  return sizes[static_cast<std::size_t>(type)];
}

std::uint32_t Hdf5Rows::crc32() const { return crc32_after(0); }

std::uint32_t Hdf5Rows::crc32_after(std::uint32_t crc) const {
  for (const std::string& text : texts) crc = crc32_of({text.c_str(), text.size() + 1}, crc);
  return crc32_of(
      {static_cast<const char*>(begin()), rows * static_cast<std::size_t>(std::max(columns, 1)) * size_of(type)}, crc);
}

Hdf5Rows text_rows(std::string dataset, std::vector<std::string> texts) {
  const std::size_t count = texts.size();
  return {.dataset = std::move(dataset), .type = Hdf5Type::text, .rows = count, .texts = std::move(texts)};
}

std::uint32_t Hdf5File::crc32(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const {
  std::uint32_t crc = 0;
  constexpr std::uint64_t piece = 1 << 18;
  for (std::uint64_t done = 0; done < row_count; done += piece)
    crc = read(dataset, first_row + done, std::min(piece, row_count - done)).crc32_after(crc);
  return crc;
}

void Hdf5Tree::fail(const std::string& object, const std::string& what) const {
  throw Error(ErrorKind::mesh_contents, fmt::format("'{}' of '{}' {}", object, path_, what), {},
              "write the file again with the mesher");
}

std::string without_padding(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> fixed_texts(const std::string& characters, std::size_t width) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; width > 0 && at + width <= characters.size(); at += width)
    texts.push_back(without_padding(characters.substr(at, width)));
  return texts;
}

}  // namespace ritz
