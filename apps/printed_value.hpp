/// \file  Numbers as printed in a paper, and whether a computed one agrees with their digits.
#pragma once

#include <string>

namespace scree {

struct PrintedValue {
  std::string text = "";      // "0.255", "-2e-5", "<1e-7"; empty where nothing is printed
  std::string remark = "";    // what a reader should know, such as why it differs
  bool without_sign = false;  // a magnitude is printed
};

/// "rounded" or "truncated" if the value gives the printed digits that way; "below" if it keeps a
/// printed bound; "no" if not; empty where nothing is printed. A printed "0" stands for less than
/// 1e-6, not for less than a half.
const char* Agreement(double value, const PrintedValue& printed);

}  // namespace scree
