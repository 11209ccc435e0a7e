/// \file  The message of an expected exception, and a search in texts.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace scree {

/// The message of the Error that the call throws. If it throws none, the test fails.
template <class Error, class Call>
std::string MessageOf(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an exception";
  return {};
}

inline bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace scree
