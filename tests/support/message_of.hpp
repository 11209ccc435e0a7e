/// \file  The message of an expected exception.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace scree {

/// The message of the Error that the call throws. Without an Error: "" and a test failure.
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

}  // namespace scree
