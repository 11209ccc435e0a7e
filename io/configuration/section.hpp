/// \file  One section of a scene in one of three passes: its keys are listed, read into what they
/// are
///        bound to, or written from it. A function that goes through the keys of a section serves
///        all three, so that --help, a scene and its echo cannot disagree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "io/configuration/key_binding.hpp"
#include "io/configuration/settings.hpp"

namespace scree {

class Section {
 public:
  /// Lists: each key once, where it stands first.
  explicit Section(KeySpecs& listed) : listed_(&listed) {}
  /// Reads. What is missing or does not go together becomes an error, and some value takes its
  /// place.
  Section(std::string name, const Settings& settings, ErrorList& errors)
      : name_(std::move(name)), settings_(&settings), errors_(&errors) {}
  /// Appends a row for each key that has a value.
  Section(std::string name, IniEntries& rows) : name_(std::move(name)), rows_(&rows) {}

  bool IsListed() const { return listed_ != nullptr; }
  bool IsRead() const { return settings_ != nullptr; }
  bool IsWritten() const { return rows_ != nullptr; }
  const std::string& Name() const { return name_; }

  /// Reading sets the variables of all keys that are given or have a default, and clears that of a
  /// key whose value is bad, or lacking where that is an error. Writing makes a row for each key
  /// that has a value.
  void Keys(const KeyRows& rows);

  /// For keys that are not listed as they are read.
  void List(const KeySpecs& specs);

  /// A key that decides which others there are. Listing has those of all words; reading refuses
  /// those of the other words.
  /// @param now      the number of the word that is written
  /// @param article  before the word in complaints, "a"; empty: "key = word"
  /// @returns the word's number; nothing where it is listed, or bad and was complained about
  std::optional<std::size_t> Kind(const KindKeys& kinds, std::size_t now,
                                  const std::string& article = "");

  /// The same of a variant.
  /// @param keys  what else is read or written of each alternative
  template <class Variant, class Keys>
  void KindOf(Variant& variant, const KindKeys& kinds, const Keys& keys,
              const std::string& article = "") {
    const auto number = Kind(kinds, variant.index(), article);
    if (!number) return;
    if (IsRead()) variant = AlternativeOf<Variant>(*number);
    std::visit(keys, variant);
  }

  // ---- what only a section that is read has

  bool Given(const std::string& key) const { return settings_->Given(name_, key); }
  bool GivesAny(const KeySpecs& keys) const;
  /// Settings::Intended: given, or misspelt.
  bool Intended(const std::string& key) const { return settings_->Intended(name_, key); }
  /// Whether the key has a value, given or by default.
  bool HasValue(const std::string& key) const { return settings_->Find(name_, key).has_value(); }

  void Complain(const std::string& key, const std::string& message) {
    errors_->Add(settings_->Where(name_, key), message);
  }

  /// The lower corner is below the upper one, if both were read.
  void CheckBox(const Box& box);

  /// `last` is after `first`, if it was read.
  /// @param last, first  keys of times, with their values
  void CheckSpan(const std::string& last, double until, const std::string& first, double from);

  /// The place of `name` among the known names of sections [head.NAME]. That there is none is an
  /// error of `key`, unless its section is misspelt, which was complained about.
  std::optional<std::size_t> FindNamed(const std::string& key, const std::string& head,
                                       const std::string& name,
                                       const std::vector<std::string>& known);

  /// Complains of all given keys of `keys` but those of `allowed`.
  /// @param what  that they do not belong to
  void Refuse(const KeySpecs& keys, const KeySpecs& allowed, const std::string& what);

 private:
  void Read(const KeyRow& row);
  void DemandGiven(const KeySpec& spec);
  void Write(const KeyRow& row);

  std::string name_;
  KeySpecs* listed_ = nullptr;
  const Settings* settings_ = nullptr;
  ErrorList* errors_ = nullptr;
  IniEntries* rows_ = nullptr;
};

}  // namespace scree
