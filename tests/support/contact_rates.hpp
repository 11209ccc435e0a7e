/// \file  Checks the rates of a mechanism's contact by finite differences.
#pragma once

#include <gtest/gtest.h>

#include "apps/single/models/contact_mechanism.hpp"

namespace scree::test {

/// Checks at q that the normal velocity of the contact is the rate of its gap, and that the biases
/// are the rates at which its velocities change if w is constant.
/// @param difference  step of the central differences [s]
/// @param error       tolerated error of the central differences
template <class Mechanism>
void ExpectRatesAreDerivatives(const Mechanism& mechanism, const impact::Vec2& q,
                               const impact::Vec2& w, double difference, double error) {
  const impact::ContactGeometry geometry = mechanism.Contact(q, w);
  const impact::ContactGeometry contact_after = mechanism.Contact(q + difference * w, w);
  const impact::ContactGeometry contact_before = mechanism.Contact(q - difference * w, w);
  const auto rate = [&](double high, double low) { return (high - low) / (2.0 * difference); };
  EXPECT_NEAR(geometry.opening.dot(w), rate(contact_after.gap, contact_before.gap), error);
  EXPECT_NEAR(geometry.opening_bias,
              rate(contact_after.opening.dot(w), contact_before.opening.dot(w)), error);
  EXPECT_NEAR(geometry.sliding_bias,
              rate(contact_after.sliding.dot(w), contact_before.sliding.dot(w)), error);
}

}  // namespace scree::test
