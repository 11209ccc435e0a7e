#include "io/files/text_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace scree {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  ForEachPiece(text, separator, [&](std::string_view piece) { pieces.push_back(piece); });
  return pieces;
}

char SeparatorOf(std::string_view header) {
  for (const char separator : {',', ';', '\t'}) {
    if (header.find(separator) != header.npos) return separator;
  }
  return ',';
}

std::optional<double> FiniteNumber(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string_view PlainText(std::string_view bytes, std::string& converted) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kEnd(" \t\r\n\0\x1A", 6);
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t last = bytes.find_last_not_of(kEnd);
  bytes = bytes.substr(0, last == bytes.npos ? 0 : last + 1);
  if (bytes.find('\r') == bytes.npos || bytes.find('\n') != bytes.npos) return bytes;
  converted = bytes;
  std::ranges::replace(converted, '\r', '\n');
  return converted;
}

TableLines LinesOfTable(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  TableLines lines;
  lines.values.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  std::size_t number = 0;
  ForEachPiece(text, '\n', [&](std::string_view line) {
    ++number;
    if (line.starts_with('#')) {
      lines.comments.push_back({number, Trimmed(line.substr(1))});
    } else if (!line.empty()) {
      lines.values.push_back({number, line});
    }
  });
  return lines;
}

}  // namespace scree
