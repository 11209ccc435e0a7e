/// \file  A scalar that counts what is done with it, to measure the cost of an algorithm that is a
///        template over its scalar.
///
/// `CountedScalar` is a value that has a name: a variable, a member, a parameter, a result. Giving
/// it a value is a write, using it as an operand a read. Operations return `CountedResult`, a value
/// in a register, which costs nothing to use. Literals cost nothing either.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <concepts>

namespace scree::impact {

/// In the terms of table IV of Papetti, Avanzini & Rocchesso (see hunt_crossley.hpp).
struct OperationCount {
  int writes = 0;
  int reads = 0;
  int additions = 0;  // and subtractions, changes of sign
  int multiplications = 0;
  int divisions = 0;
  int shifts = 0;  // products with a power of two
  int powers = 0;  // and exponentials
  int logarithms = 0;
  int comparisons = 0;  // and absolute values

  int Total() const { return writes + reads + Arithmetic(); }
  int Arithmetic() const {
    return additions + multiplications + divisions + shifts + powers + logarithms + comparisons;
  }

  static const std::array<int OperationCount::*, 9> kKinds;  // in the order above
};
inline constexpr std::array<int OperationCount::*, 9> OperationCount::kKinds = {
    &OperationCount::writes,          &OperationCount::reads,      &OperationCount::additions,
    &OperationCount::multiplications, &OperationCount::divisions,  &OperationCount::shifts,
    &OperationCount::powers,          &OperationCount::logarithms, &OperationCount::comparisons};

/// What this thread's counting scalars did since it was last cleared.
inline OperationCount& Operations() {
  thread_local OperationCount count;
  return count;
}

/// A value without a name.
struct CountedResult {
  double value;
};

class CountedScalar {
 public:
  CountedScalar() = default;
  explicit CountedScalar(double value) : value_(value) {}
  CountedScalar(CountedResult result) : value_(result.value) { ++Operations().writes; }
  CountedScalar(const CountedScalar& other) : value_(other.Read()) { ++Operations().writes; }
  CountedScalar& operator=(const CountedScalar& other) {
    value_ = other.Read();
    ++Operations().writes;
    return *this;
  }
  CountedScalar& operator=(CountedResult result) {
    value_ = result.value;
    ++Operations().writes;
    return *this;
  }

  double Read() const {
    ++Operations().reads;
    return value_;
  }
  /// For the test that looks at it; not counted.
  double Value() const { return value_; }

 private:
  double value_ = 0.0;
};

namespace internal {
inline double Operand(const CountedScalar& x) { return x.Read(); }
inline double Operand(CountedResult x) { return x.value; }
inline double Operand(double literal) { return literal; }

template <class T>
concept Counted = std::same_as<T, CountedScalar> || std::same_as<T, CountedResult>;
template <class A, class B>
concept CountedPair = (Counted<A> && (Counted<B> || std::same_as<B, double>)) ||
                      (std::same_as<A, double> && Counted<B>);
}  // namespace internal

template <class A, class B>
requires internal::CountedPair<A, B> CountedResult operator+(const A& a, const B& b) {
  ++Operations().additions;
  return {internal::Operand(a) + internal::Operand(b)};
}

template <class A, class B>
requires internal::CountedPair<A, B> CountedResult operator-(const A& a, const B& b) {
  ++Operations().additions;
  return {internal::Operand(a) - internal::Operand(b)};
}

template <internal::Counted A>
CountedResult operator-(const A& a) {
  ++Operations().additions;
  return {-internal::Operand(a)};
}

template <class A, class B>
requires internal::CountedPair<A, B> CountedResult operator*(const A& a, const B& b) {
  ++Operations().multiplications;
  return {internal::Operand(a) * internal::Operand(b)};
}

template <class A, class B>
requires internal::CountedPair<A, B> CountedResult operator/(const A& a, const B& b) {
  ++Operations().divisions;
  return {internal::Operand(a) / internal::Operand(b)};
}

template <class A, class B>
requires internal::CountedPair<A, B>
auto operator<=>(const A& a, const B& b) {
  ++Operations().comparisons;
  return internal::Operand(a) <=> internal::Operand(b);
}

template <class A, class B>
requires internal::CountedPair<A, B> CountedResult pow(const A& base, const B& exponent) {
  ++Operations().powers;
  return {std::pow(internal::Operand(base), internal::Operand(exponent))};
}

template <internal::Counted A>
CountedResult exp(const A& x) {
  ++Operations().powers;
  return {std::exp(internal::Operand(x))};
}

template <internal::Counted A>
CountedResult log(const A& x) {
  ++Operations().logarithms;
  return {std::log(internal::Operand(x))};
}

template <internal::Counted A>
CountedResult abs(const A& x) {
  ++Operations().comparisons;
  return {std::abs(internal::Operand(x))};
}

/// x/2 and 2x: a shift of a bit in integer arithmetic.
inline double Half(double x) { return 0.5 * x; }
inline double Twice(double x) { return 2.0 * x; }

template <internal::Counted A>
CountedResult Half(const A& x) {
  ++Operations().shifts;
  return {0.5 * internal::Operand(x)};
}

template <internal::Counted A>
CountedResult Twice(const A& x) {
  ++Operations().shifts;
  return {2.0 * internal::Operand(x)};
}

}  // namespace scree::impact
