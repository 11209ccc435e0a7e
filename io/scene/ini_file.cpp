#include "io/scene/ini_file.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "io/files/collective_call.hpp"
#include "io/files/text_lines.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view WithoutComment(std::string_view line) {
  for (std::size_t k = 0; k < line.size(); ++k) {
    const bool is_comment_sign = line[k] == '#' || line[k] == ';';
    if (is_comment_sign && (k == 0 || IsSpace(line[k - 1]))) return line.substr(0, k);
  }
  return line;
}

bool IsName(std::string_view text, std::string_view extra) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [extra](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           extra.find(c) != extra.npos;
  });
}

/// Whether the name of a section has the form `at "0.5 s"`.
bool IsTimed(std::string_view section) {
  constexpr std::string_view kBegin = "at \"";
  return section.size() > kBegin.size() + 1 && section.starts_with(kBegin) &&
         section.find('"', kBegin.size()) == section.size() - 1;
}

/// True for control bytes other than tab and carriage return, and for bytes that UTF-8 never uses.
bool IsNotText(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f || byte == 0xc0 ||
         byte == 0xc1 || byte >= 0xf5;
}

class Scanner {
 public:
  Scanner(const std::string& file_name, ErrorList& errors) : errors_(errors) {
    file_.name = file_name;
  }

  void ScanLine(std::string_view line, int number) {
    location_ = file_.name + ":" + std::to_string(number);
    if (std::any_of(line.begin(), line.end(), IsNotText)) {
      errors_.Add(location_, "this line has bytes that are not text; expected a text file");
      return;
    }
    line = Trimmed(WithoutComment(line));
    if (line.empty()) return;
    if (line.front() == '[') {
      ScanSection(line);
    } else {
      ScanEntry(line);
    }
  }

  IniFile Finish() { return std::move(file_); }

 private:
  void ScanSection(std::string_view line) {
    is_skipping_ = true;
    if (line.back() != ']') {
      errors_.Add(location_, Text("\"", line, "\" opens a section but lacks the closing ]"));
      return;
    }
    section_ = Trimmed(line.substr(1, line.size() - 2));
    if (section_.starts_with("at ") || section_ == "at") {
      if (!IsTimed(section_)) {
        errors_.Add(location_,
                    Text("\"", line, "\" needs a time in quotes, such as [at \"0.5 s\"]"));
        return;
      }
    } else if (!IsName(section_, ".")) {
      errors_.Add(location_,
                  Text("\"", line, "\" is not a section name; expected letters, digits, _ and ",
                       "dots, such as [wall.floor]"));
      return;
    }
    if (const auto [first, is_new] = seen_.emplace(section_, location_); !is_new) {
      errors_.Add(location_, Text("section [", section_, "] was already given at ", first->second,
                                  "; put its keys together there"));
      return;
    }
    is_skipping_ = false;
    file_.sections.push_back({section_, location_});
  }

  void ScanEntry(std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos) {
      errors_.Add(location_, Text("\"", line, "\" is neither a [section] nor \"key = value\""));
      return;
    }
    const std::string key(Trimmed(line.substr(0, equals)));
    const std::string value(Trimmed(line.substr(equals + 1)));
    if (is_skipping_ && !section_.empty()) return;  // its section already has an error
    if (section_.empty()) {
      errors_.Add(location_, Text("\"", line, "\" is before the first [section]"));
      return;
    }
    if (const auto [first, is_new] = seen_.emplace(section_ + "]" + key, location_); !is_new) {
      errors_.Add(location_,
                  Text("[", section_, "] ", key, " was already given at ", first->second));
      return;
    }
    file_.entries.push_back({section_, key, value, location_});
  }

  ErrorList& errors_;
  IniFile file_;
  std::map<std::string, std::string> seen_;  // locations of sections, and of keys as section]key
  std::string section_;
  std::string location_;
  bool is_skipping_ = false;
};

/// Levenshtein distance, row by row.
std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

void ErrorList::Add(const std::string& location, const std::string& message) {
  Add(location + ": " + message);
}

void ErrorList::Add(const std::string& line) {
  if (std::ranges::count(lines_, line) == 0) lines_.push_back(line);
}

void ErrorList::ThrowIfAny() const {
  if (lines_.empty()) return;
  std::string all;
  for (const std::string& line : lines_) all += (all.empty() ? "" : "\n") + line;
  throw InputError(all);
}

std::string ReadSceneFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw FileError(path + ": is a directory; expected a scene file such as channel.ini");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": cannot be opened (" + std::strerror(errno) + ")");
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw FileError(path + ": cannot be read");
  return text;
}

std::string ReadSceneFile(const Communicator& communicator, const std::string& path) {
  std::string text;
  CallOnRoot<FileError>(communicator, [&] { text = ReadSceneFile(path); });
  return communicator.Broadcast(text);
}

std::string DescribeUnwritable(std::string_view text) {
  if (std::ranges::any_of(text, IsNotText) || text.find('\r') != text.npos) {
    std::string shown(text);
    std::ranges::replace_if(
        shown, [](char c) { return IsNotText(c) || c == '\r'; }, '?');
    return Text("\"", shown, "\" holds a line break or other bytes that are not text (shown as ?)");
  }
  if (Trimmed(WithoutComment(text)) == text) return {};
  return Text("\"", text,
              "\" begins or ends with a blank, or has # or ; after a blank, which begins a ",
              "comment");
}

IniFile ScanIni(std::string_view text, const std::string& file_name, ErrorList& errors) {
  Scanner scanner(file_name, errors);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find('\0') != text.npos) {
    errors.Add(file_name,
               "is a binary file; a scene is a text file with [section] and key = value");
    return scanner.Finish();
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    scanner.ScanLine(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  IniFile file = scanner.Finish();
  if (file.sections.empty() && errors.Empty()) {
    errors.Add(file_name, "is empty; a scene needs at least [domain], [time] and [fill]");
  }
  return file;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string NearestName(const std::string& typed, const std::vector<std::string>& known) {
  std::size_t min = std::max<std::size_t>(2, typed.size() / 3) + 1;
  std::string nearest;
  for (const std::string& name : known) {
    const std::size_t distance = EditDistance(typed, name);
    if (distance >= min) continue;
    min = distance;
    nearest = name;
  }
  return nearest;
}

namespace {

struct ForeignWord {
  std::string_view foreign_word;
  std::string_view scree_key;
};

/// Names of keys in LAMMPS, LIGGGHTS, Yade, MercuryDPM, EDEM and papers.
constexpr ForeignWord kForeignWords[] = {
    {"mu", "[contact] friction"},
    {"friction_coefficient", "[contact] friction"},
    {"coefficientfriction", "[contact] friction"},
    {"cor", "[contact] restitution"},
    {"coefficientrestitution", "[contact] restitution"},
    {"restitution_coefficient", "[contact] restitution"},
    {"coefficientrollingfriction", "[contact] rolling_friction"},
    {"cohesionenergydensity", "[contact] cohesion or adhesion"},
    {"youngs_modulus", "[material.NAME] young"},
    {"youngsmodulus", "[material.NAME] young"},
    {"young_modulus", "[material.NAME] young"},
    {"poissons_ratio", "[material.NAME] poisson"},
    {"poissonsratio", "[material.NAME] poisson"},
    {"poisson_ratio", "[material.NAME] poisson"},
    {"rho", "[material.NAME] density"},
    {"kn", "none: contacts are hard, without a stiffness"},
    {"kt", "none: contacts are hard, without a stiffness"},
    {"timestep", "[time] step"},
    {"time_step", "[time] step"},
    {"dt", "[time] step"},
    {"tmax", "[time] end"},
    {"end_time", "[time] end"},
    {"n", "[fill] number, with places = random"},
    {"dump", "[output] every"},
    {"random_seed", "[scene] seed"},
    {"boundary", "[domain] periodic"},
};

/// Our key for another code's word, from an unknown key or option such as `--time.dt`; empty if the
/// word is unknown.
std::string_view KeyForForeignWord(std::string typed) {
  typed.erase(0, typed.find_last_of("-.") + 1);
  std::ranges::transform(typed, typed.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* const found = std::ranges::find(kForeignWords, typed, &ForeignWord::foreign_word);
  return found == std::end(kForeignWords) ? "" : found->scree_key;
}

}  // namespace

std::string DidYouMean(const std::string& typed, const std::vector<std::string>& known) {
  if (const std::string_view scree_key = KeyForForeignWord(typed); !scree_key.empty()) {
    return " (here it is " + std::string(scree_key) + ")";
  }
  const std::string nearest = NearestName(typed, known);
  return nearest.empty() ? "" : " (did you mean \"" + nearest + "\"?)";
}

}  // namespace scree
