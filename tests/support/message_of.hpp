/// \file  What an exception says that a test expects.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace scree {

/// The message of the Error that the call throws; empty, and a failure, if it throws none.
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
