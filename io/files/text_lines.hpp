/// \file  Splits the text of scenes and tables into lines and pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// The text without blanks, tabs and carriage returns at both ends.
std::string_view Trimmed(std::string_view text);

/// Calls visit(piece) for the trimmed pieces between separators; without a separator the text is
/// one piece.
template <class Visit>
void ForEachPiece(std::string_view text, char separator, Visit&& visit) {
  for (;;) {
    const std::size_t end = text.find(separator);
    visit(Trimmed(text.substr(0, end)));
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

/// All pieces between separators, trimmed.
std::vector<std::string_view> Split(std::string_view text, char separator);

/// The separator of the columns of a table with this header: a comma, or a semicolon or tab if the
/// header has no comma.
char SeparatorOf(std::string_view header);

/// The number if the whole text is a finite number, such as "+1"; else nothing.
std::optional<double> FiniteNumber(std::string_view text);

/// The text without a UTF-8 byte-order mark, and without blanks, NUL and Ctrl-Z at the end. If
/// lines end with single carriage returns, `converted` gets a copy with line feeds, to which the
/// result then refers.
std::string_view PlainText(std::string_view bytes, std::string& converted);

/// A trimmed line with its number in the file.
struct TextLine {
  std::size_t number = 0;
  std::string_view text;
};

struct TableLines {
  std::vector<TextLine> values;    // the header first
  std::vector<TextLine> comments;  // without the sign #
};

/// The lines of a table that are not blank. A UTF-8 byte-order mark and CRLF line ends are
/// accepted.
TableLines LinesOfTable(std::string_view text);

}  // namespace scree
