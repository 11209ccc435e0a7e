#include "engine/ranks/bisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A cut is good if the work on each side deviates from its target by at most this fraction.
constexpr double kGoodFraction = 0.002;
/// A cut is poor if it misses its target by more than this fraction of the work of one rank, which
/// happens near layers of particles. Another axis is then tried, unless the extent along it is less
/// than kTooShort times the longest.
constexpr double kPoorFraction = 0.02;
/// The axis of the current cut is kept if the extent along it is above kNearlyLongest times the
/// longest.
constexpr double kTooShort = 0.4, kNearlyLongest = 0.7;

/// A box of the current level that has to be cut.
struct OpenBox {
  TreeNode node;
  Box box;                // inside the domain [m]
  std::int64_t work = 0;  // inside the box
  Box extent;             // bounds of the items whose work belongs to this box [m]
  std::vector<int> axes;  // axes along which the box may be cut, best first

  std::int32_t RanksBelow() const { return node.ranks / 2; }
  /// Desired work on the lower side of the cut.
  double Target() const {
    return static_cast<double>(work) * RanksBelow() / static_cast<double>(node.ranks);
  }
  double WorkPerRank() const { return static_cast<double>(work) / node.ranks; }
};

/// The search for the position of a cut, in a window that shrinks around it.
struct Search {
  int axis = 0;
  double lower = 0.0, upper = 0.0;  // the window [m]
  double position = 0.0;            // the best position so far [m]
  std::int64_t below = 0;           // work below this position
  double error = HUGE_VAL;          // |below − target|
  bool is_done = false;
};

/// Number of boxes of this width that fit next to one another across the axis.
double BoxesAcross(const Box& box, int axis, double width) {
  double boxes_across = 1.0;
  for (int other = 0; other < 3; ++other) {
    if (other != axis) boxes_across *= std::max(1.0, std::floor(box.Extent()[other] / width));
  }
  return boxes_across;
}

/// Positions [m] at which a box may be cut; none if lower > upper.
struct CutRange {
  double lower, upper;
};
CutRange FindCutRange(const OpenBox& open_box, int axis, double width) {
  const double boxes_across = BoxesAcross(open_box.box, axis, width);
  const auto min_length = [&](int ranks) { return width * std::ceil(ranks / boxes_across); };
  return {open_box.box.lower[axis] + min_length(open_box.RanksBelow()),
          open_box.box.upper[axis] - min_length(open_box.node.ranks - open_box.RanksBelow())};
}

class Bisector {
 public:
  Bisector(const Communicator& communicator, const Domain& domain, int boxes, double min_width,
           std::vector<WorkItem> items, const std::vector<Cut>& current_cuts)
      : communicator_(communicator),
        boxes_(boxes),
        width_(min_width),
        items_(std::move(items)),
        box_of_(items_.size(), 0),
        current_cuts_(current_cuts) {
    std::int64_t work = 0;
    for (const WorkItem& item : items_) work += item.work;
    total_ = communicator.Sum(work);
    tree_.resize(static_cast<std::size_t>(boxes) - 1);
    open_boxes_.push_back({{0, 0, boxes}, domain.box, total_, {}, {}});
  }

  Bisection CutAll() {
    while (!open_boxes_.empty()) {
      MeasureExtents();
      for (OpenBox& open_box : open_boxes_) open_box.axes = AxesOf(open_box);
      DivideBoxes(FindCuts());
    }
    const double mean = static_cast<double>(total_) / boxes_;
    return {{{}, tree_}, total_ > 0 ? static_cast<double>(max_work_) / mean : 1.0};
  }

 private:
  /// The coordinate that assigns an item to a side: a pair on both sides counts for the lower one.
  static double KeyOf(const WorkItem& item, int axis) {
    return std::min(item.a[axis], item.b[axis]);
  }
  void MeasureExtents();
  std::vector<int> AxesOf(const OpenBox& open_box) const;
  std::vector<Search> FindCuts() const;
  Search StartSearch(const OpenBox& open_box, int axis) const;
  std::vector<std::int64_t> Histogram(const std::vector<Search>& searches, std::size_t bins) const;
  static void NarrowWindow(const OpenBox& open_box, std::span<const std::int64_t> work,
                           Search& search);
  void NarrowAll(std::vector<Search>& searches) const;
  void DivideBoxes(const std::vector<Search>& searches);
  void AddSide(const TreeNode& node, const Box& box, std::int64_t work, std::vector<OpenBox>& next,
               std::vector<Index>& box_numbers);

  const Communicator& communicator_;
  int boxes_;
  double width_;
  std::vector<WorkItem> items_;  // of this rank; items of finished boxes are dropped
  std::vector<Index> box_of_;    // the open box that contains each item
  const std::vector<Cut>& current_cuts_;
  std::int64_t total_ = 0, max_work_ = 0;  // total work, and maximum work of a finished box
  std::vector<Cut> tree_;
  std::vector<OpenBox> open_boxes_;
};

void Bisector::MeasureExtents() {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  // Lower ends are negated, so that one Max finds both ends.
  std::vector<double> ends(6 * open_boxes_.size(), kNone);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    double* box_ends = &ends[6 * static_cast<std::size_t>(box_of_[k])];
    for (int axis = 0; axis < 3; ++axis) {
      const double key = KeyOf(items_[k], axis);
      box_ends[axis] = std::max(box_ends[axis], -key);
      box_ends[3 + axis] = std::max(box_ends[3 + axis], key);
    }
  }
  communicator_.Max(ends);
  for (std::size_t k = 0; k < open_boxes_.size(); ++k) {
    OpenBox& open_box = open_boxes_[k];
    const double* box_ends = &ends[6 * k];
    const bool is_empty = box_ends[0] == kNone;
    open_box.extent = is_empty
                          ? open_box.box
                          : Box{-Vec3(box_ends[0], box_ends[1], box_ends[2]), Vec3(box_ends + 3)};
  }
}

/// The axes along which the box is long enough to cut, sorted by the extent of the items, longest
/// first.
std::vector<int> Bisector::AxesOf(const OpenBox& open_box) const {
  std::vector<int> axes;
  Vec3 side = open_box.extent.Extent();
  for (int axis = 0; axis < 3; ++axis) {
    const CutRange range = FindCutRange(open_box, axis, width_);
    if (range.lower <= range.upper) axes.push_back(axis);
  }
  if (axes.empty()) {  // too many ranks for boxes of this width: cut the longest side anyway
    int longest = 0;
    open_box.box.Extent().maxCoeff(&longest);
    return {longest};
  }
  const bool same_ranks = current_cuts_.size() == tree_.size() &&
                          current_cuts_[open_box.node.cut].ranks_below == open_box.RanksBelow();
  if (same_ranks) side[current_cuts_[open_box.node.cut].axis] /= kNearlyLongest;
  std::ranges::stable_sort(axes, [&](int a, int b) { return side[a] > side[b]; });
  const double longest = side[axes.front()];
  std::erase_if(axes, [&](int axis) { return side[axis] < kTooShort * longest; });
  return axes;
}

Search Bisector::StartSearch(const OpenBox& open_box, int axis) const {
  Search search;
  search.axis = axis;
  const CutRange range = FindCutRange(open_box, axis, width_);
  const double fraction = static_cast<double>(open_box.RanksBelow()) / open_box.node.ranks;
  search.position = open_box.box.lower[axis] + fraction * open_box.box.Extent()[axis];
  search.below = static_cast<std::int64_t>(open_box.Target());
  search.is_done = open_box.work == 0 || !(range.lower <= range.upper);
  if (search.is_done) {
    if (range.lower <= range.upper) {
      search.position = std::clamp(search.position, range.lower, range.upper);
    }
    search.error = 0.0;
    return search;
  }
  search.lower = std::clamp(open_box.extent.lower[axis], range.lower, range.upper);
  search.upper = std::clamp(open_box.extent.upper[axis], range.lower, range.upper);
  return search;
}

/// Returns, for each search, the work below its window and then the work in each of its bins.
/// Collective.
std::vector<std::int64_t> Bisector::Histogram(const std::vector<Search>& searches,
                                              std::size_t bins) const {
  std::vector<std::int64_t> work((bins + 1) * searches.size(), 0);
  const auto count = static_cast<double>(bins);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const auto box_number = static_cast<std::size_t>(box_of_[k]);
    const Search& search = searches[box_number];
    if (search.is_done) continue;
    const double key = KeyOf(items_[k], search.axis);
    if (key >= search.upper) continue;
    std::size_t bin = 0;
    if (key >= search.lower) {
      const double fraction = (key - search.lower) / (search.upper - search.lower);
      bin = 1 + static_cast<std::size_t>(std::min(fraction * count, count - 1.0));
    }
    work[(bins + 1) * box_number + bin] += items_[k].work;
  }
  communicator_.Sum(work);
  return work;
}

/// Sets the position to the best edge of a bin, and the window to the bin that contains the target.
void Bisector::NarrowWindow(const OpenBox& open_box, std::span<const std::int64_t> work,
                            Search& search) {
  const double target = open_box.Target();
  const std::size_t bins = work.size() - 1;
  const double lower = search.lower, upper = search.upper;
  const double bin_width = (upper - lower) / static_cast<double>(bins);
  const auto edge = [&](std::size_t k) {
    return k == bins ? upper : lower + static_cast<double>(k) * bin_width;
  };
  std::int64_t below = 0;
  std::size_t crossing = bins;
  int equal_edges = 0;  // number of consecutive edges that are equally good, the best included
  for (std::size_t k = 0; k <= bins; ++k) {
    const auto below_before = static_cast<double>(below);
    below += work[k];
    if (k > 0 && below_before <= target && target < static_cast<double>(below)) crossing = k - 1;
    const double error = std::abs(static_cast<double>(below) - target);
    if (error < search.error) {
      search.error = error;
      search.below = below;
      search.position = edge(k);
      equal_edges = 1;
    } else if (equal_edges > 0 && error == search.error && below == search.below) {
      search.position = edge(k) - 0.5 * equal_edges++ * bin_width;  // the middle of an empty gap
    }
  }
  const double good_error =
      kGoodFraction * std::min(target, static_cast<double>(open_box.work) - target);
  const double min_bin_width = 1e-9 * open_box.box.Extent()[search.axis];
  search.is_done = search.error <= good_error || crossing == bins || bin_width < min_bin_width;
  if (search.is_done) return;
  search.lower = edge(crossing);
  search.upper = edge(crossing + 1);
}

/// One iteration of all searches. Collective.
void Bisector::NarrowAll(std::vector<Search>& searches) const {
  constexpr std::size_t kMaxBins = 64, kMemory = 1 << 18;
  const std::size_t bins = std::clamp<std::size_t>(kMemory / searches.size(), 4, kMaxBins);
  const std::vector<std::int64_t> work = Histogram(searches, bins);
  for (std::size_t k = 0; k < searches.size(); ++k) {
    if (searches[k].is_done) continue;
    NarrowWindow(open_boxes_[k], std::span(work).subspan((bins + 1) * k, bins + 1), searches[k]);
  }
}

std::vector<Search> Bisector::FindCuts() const {
  std::vector<Search> best(open_boxes_.size());
  for (std::size_t attempt = 0; attempt < 3; ++attempt) {
    std::vector<Search> searches(open_boxes_.size());
    bool is_any_tried = false;
    for (std::size_t k = 0; k < open_boxes_.size(); ++k) {
      const OpenBox& open_box = open_boxes_[k];
      const bool is_poor = best[k].error > kPoorFraction * open_box.WorkPerRank();
      const bool is_tried = is_poor && attempt < open_box.axes.size();
      if (is_tried) searches[k] = StartSearch(open_box, open_box.axes[attempt]);
      searches[k].is_done = searches[k].is_done || !is_tried;
      is_any_tried = is_any_tried || is_tried;
    }
    if (!is_any_tried) break;
    while (std::ranges::any_of(searches, [](const Search& search) { return !search.is_done; })) {
      NarrowAll(searches);
    }
    for (std::size_t k = 0; k < open_boxes_.size(); ++k) {
      if (searches[k].error < best[k].error) best[k] = searches[k];
    }
  }
  return best;
}

void Bisector::AddSide(const TreeNode& node, const Box& box, std::int64_t work,
                       std::vector<OpenBox>& next, std::vector<Index>& box_numbers) {
  if (node.IsLeaf()) {
    box_numbers.push_back(-1);
    max_work_ = std::max(max_work_, work);
  } else {
    box_numbers.push_back(static_cast<Index>(next.size()));
    next.push_back({node, box, work, {}, {}});
  }
}

void Bisector::DivideBoxes(const std::vector<Search>& searches) {
  std::vector<OpenBox> next;
  std::vector<Index> box_numbers;  // two per box: the numbers of its sides in `next`; −1: finished
  for (std::size_t k = 0; k < open_boxes_.size(); ++k) {
    const OpenBox& open_box = open_boxes_[k];
    const Cut cut{searches[k].position, searches[k].axis, open_box.RanksBelow()};
    tree_[open_box.node.cut] = cut;
    AddSide(open_box.node.Lower(cut), LowerPart(open_box.box, cut), searches[k].below, next,
            box_numbers);
    AddSide(open_box.node.Upper(cut), UpperPart(open_box.box, cut),
            open_box.work - searches[k].below, next, box_numbers);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const auto box = static_cast<std::size_t>(box_of_[k]);
    const Cut& cut = tree_[open_boxes_[box].node.cut];
    WorkItem item = items_[k];
    const bool a_below = item.a[cut.axis] < cut.position, b_below = item.b[cut.axis] < cut.position;
    // An item that crosses the cut counts for the lower side, at the position of its particle on
    // that side.
    if (a_below && !b_below) item.b = item.a;
    if (b_below && !a_below) item.a = item.b;
    const Index new_box = box_numbers[2 * box + (a_below || b_below ? 0 : 1)];
    if (new_box < 0) continue;
    items_[kept] = item;
    box_of_[kept++] = new_box;
  }
  items_.resize(kept);
  box_of_.resize(kept);
  open_boxes_ = std::move(next);
}

}  // namespace

Bisection Bisect(const Communicator& communicator, const Domain& domain, int boxes,
                 double min_width, std::vector<WorkItem> items,
                 const std::vector<Cut>& current_cuts) {
  SCREE_DEMAND(boxes >= 1);
  if (boxes == 1) return {{{1, 1, 1}, {}}, 1.0};
  return Bisector(communicator, domain, boxes, min_width, std::move(items), current_cuts).CutAll();
}

std::vector<std::int64_t> WorkOfBoxes(const Communicator& communicator,
                                      const Subdomains& subdomains,
                                      const std::vector<WorkItem>& items) {
  std::vector<std::int64_t> work(static_cast<std::size_t>(subdomains.Count()), 0);
  for (const WorkItem& item : items) {
    const int owner = std::min(subdomains.OwnerOf(item.a), subdomains.OwnerOf(item.b));
    work[static_cast<std::size_t>(owner)] += item.work;
  }
  communicator.Sum(work);
  return work;
}

}  // namespace scree
