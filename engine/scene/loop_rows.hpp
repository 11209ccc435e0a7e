/// \file  The constraints of joints that close loops.
#pragma once

#include <Eigen/Core>

#include "engine/scene/link_motion.hpp"

namespace scree {

/// Constraints of one tree: rows of J s = 0.
struct Constraints {
  Eigen::MatrixXd rows;     // J: rates of the errors per unit speed of the axes
  Eigen::VectorXd errors;   // of the positions [m] or [rad]
  Eigen::VectorXd changes;  // J̇ s, at constant speeds of the joints

  bool IsEmpty() const { return rows.rows() == 0; }
};

/// One constraint.
struct ConstraintRow {
  Eigen::VectorXd row;
  double error = 0.0, change = 0.0;
};

/// Appends the rows of a joint that closes a loop. Rows without effect are left out.
/// @param axes  of the tree of both links
/// @param size  of the domain [m]
void AppendLoopRows(const LoopJoint& loop, const LinkMotion& parent, const LinkMotion& child,
                    std::span<const FreeAxis> axes, double size, std::vector<ConstraintRow>& rows);

}  // namespace scree
