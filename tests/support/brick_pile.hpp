/// \file  A small contact problem with general blocks: a pile of bricks on a wall.
#pragma once

#include <Eigen/SparseCore>
#include <vector>

namespace scree::test {

/// The problem in global form, M, H, f, w, and in local form, W, q, computed by dense algebra.
struct BrickPile {
  Eigen::SparseMatrix<double> mass;      // M, 6 rows per brick [kg, kg m²]
  Eigen::SparseMatrix<double> wrenches;  // H, 3 columns (n, t, o) per contact
  Eigen::VectorXd momentum;              // f = M v_free [kg m/s]
  Eigen::VectorXd bias;                  // w [m/s]
  Eigen::VectorXd friction;              // μ per contact
  Eigen::SparseMatrix<double> delassus;  // W = HᵀM⁻¹H
  Eigen::VectorXd free_velocity;         // q = HᵀM⁻¹f + w
};

/// @param bricks  ≥ 1; brick 0 touches the wall, brick i touches brick i − 1, at four corners each
BrickPile MakeBrickPile(int bricks, double friction);

}  // namespace scree::test
