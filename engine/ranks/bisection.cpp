#include "engine/ranks/bisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A cut is good if the work on each side is this close to its target.
constexpr double kGoodShare = 0.002;
/// A cut is poor if it misses its target by this fraction of the work of one rank, as may happen in
/// a layer of particles. Another axis is then tried ...
constexpr double kPoorShare = 0.02;
/// ... unless its side is shorter than this fraction of the longest. The axis of the previous cut
/// is kept if its side is longer than the second fraction.
constexpr double kMuchShorter = 0.4, kNearlyLongest = 0.7;

/// A box of the current level that has to be cut.
struct OpenBox {
  TreeNode node;
  Box box;                // inside the domain [m]
  std::int64_t work = 0;  // inside the box
  Box extent;             // bounds of the items that count for this box [m]
  std::vector<int> axes;  // axes along which it may be cut, best first

  std::int32_t RanksBelow() const { return node.ranks / 2; }
  double Target() const {
    return static_cast<double>(work) * RanksBelow() / static_cast<double>(node.ranks);
  }
  double PerRank() const { return static_cast<double>(work) / node.ranks; }
};

/// The search for the position of a cut, in a window that shrinks around it.
struct Search {
  int axis = 0;
  double lower = 0.0, upper = 0.0;  // the window [m]
  double position = 0.0;            // the best position so far [m]
  std::int64_t below = 0;           // work below it
  double error = HUGE_VAL;          // |below − target|
  bool is_done = false;
};

/// Number of boxes of this width that fit along the other axes.
double BoxesAcross(const Box& box, int axis, double width) {
  double room = 1.0;
  for (int other = 0; other < 3; ++other) {
    if (other != axis) room *= std::max(1.0, std::floor(box.Extent()[other] / width));
  }
  return room;
}

/// Positions where a box may be cut, from `lower` to `upper`; none if lower > upper.
struct Allowed {
  double lower, upper;
};
Allowed AllowedPositions(const OpenBox& open, int axis, double width) {
  const double room = BoxesAcross(open.box, axis, width);
  const auto needs = [&](int ranks) { return width * std::ceil(ranks / room); };
  return {open.box.lower[axis] + needs(open.RanksBelow()),
          open.box.upper[axis] - needs(open.node.ranks - open.RanksBelow())};
}

class Bisector {
 public:
  Bisector(const Communicator& communicator, const Domain& domain, int boxes, double min_width,
           std::vector<WorkItem> items, const std::vector<Cut>& before)
      : communicator_(communicator),
        boxes_(boxes),
        width_(min_width),
        items_(std::move(items)),
        box_of_(items_.size(), 0),
        before_(before) {
    std::int64_t work = 0;
    for (const WorkItem& item : items_) work += item.work;
    total_ = communicator.Sum(work);
    tree_.resize(static_cast<std::size_t>(boxes) - 1);
    open_.push_back({{0, 0, boxes}, domain.box, total_, {}, {}});
  }

  Bisection CutAll() {
    while (!open_.empty()) {
      MeasureExtents();
      for (OpenBox& open : open_) open.axes = AxesOf(open);
      Divide(FindCuts());
    }
    const double mean = static_cast<double>(total_) / boxes_;
    return {{{}, tree_}, total_ > 0 ? static_cast<double>(max_work_) / mean : 1.0};
  }

 private:
  static double KeyOf(const WorkItem& item, int axis) {
    return std::min(item.a[axis], item.b[axis]);
  }
  void MeasureExtents();
  std::vector<int> AxesOf(const OpenBox& open) const;
  std::vector<Search> FindCuts() const;
  Search Begin(const OpenBox& open, int axis) const;
  std::vector<std::int64_t> Histogram(const std::vector<Search>& searches, std::size_t bins) const;
  static void Narrow(const OpenBox& open, std::span<const std::int64_t> work, Search& search);
  void Shrink(std::vector<Search>& searches) const;
  void Divide(const std::vector<Search>& searches);
  void AddSide(const TreeNode& node, const Box& box, std::int64_t work, std::vector<OpenBox>& next,
               std::vector<Index>& number);

  const Communicator& communicator_;
  int boxes_;
  double width_;
  std::vector<WorkItem> items_;  // of this rank; items of finished boxes are dropped
  std::vector<Index> box_of_;    // the open box that contains each item
  const std::vector<Cut>& before_;
  std::int64_t total_ = 0, max_work_ = 0;  // total work, and maximum work of a finished box
  std::vector<Cut> tree_;
  std::vector<OpenBox> open_;
};

void Bisector::MeasureExtents() {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> ends(6 * open_.size(), kNone);  // one Max for both: lower ends negated
  for (std::size_t k = 0; k < items_.size(); ++k) {
    double* box_ends = &ends[6 * static_cast<std::size_t>(box_of_[k])];
    for (int axis = 0; axis < 3; ++axis) {
      const double key = KeyOf(items_[k], axis);
      box_ends[axis] = std::max(box_ends[axis], -key);
      box_ends[3 + axis] = std::max(box_ends[3 + axis], key);
    }
  }
  communicator_.Max(ends);
  for (std::size_t k = 0; k < open_.size(); ++k) {
    OpenBox& open = open_[k];
    const double* box_ends = &ends[6 * k];
    const bool is_empty = box_ends[0] == kNone;
    open.extent =
        is_empty ? open.box : Box{-Vec3(box_ends[0], box_ends[1], box_ends[2]), Vec3(box_ends + 3)};
  }
}

/// The axes along which the box is long enough to cut, sorted by the extent of the items, longest
/// first.
std::vector<int> Bisector::AxesOf(const OpenBox& open) const {
  std::vector<int> axes;
  Vec3 side = open.extent.Extent();
  for (int axis = 0; axis < 3; ++axis) {
    const Allowed allowed = AllowedPositions(open, axis, width_);
    if (allowed.lower <= allowed.upper) axes.push_back(axis);
  }
  if (axes.empty()) {  // too many ranks: halve the box
    int longest = 0;
    open.box.Extent().maxCoeff(&longest);
    return {longest};
  }
  const bool same_ranks =
      before_.size() == tree_.size() && before_[open.node.cut].ranks_below == open.RanksBelow();
  if (same_ranks) side[before_[open.node.cut].axis] /= kNearlyLongest;
  std::ranges::stable_sort(axes, [&](int a, int b) { return side[a] > side[b]; });
  const double longest = side[axes.front()];
  std::erase_if(axes, [&](int axis) { return side[axis] < kMuchShorter * longest; });
  return axes;
}

Search Bisector::Begin(const OpenBox& open, int axis) const {
  Search search;
  search.axis = axis;
  const Allowed allowed = AllowedPositions(open, axis, width_);
  const double fraction = static_cast<double>(open.RanksBelow()) / open.node.ranks;
  search.position = open.box.lower[axis] + fraction * open.box.Extent()[axis];
  search.below = static_cast<std::int64_t>(open.Target());
  search.is_done = open.work == 0 || !(allowed.lower <= allowed.upper);
  if (search.is_done) {
    if (allowed.lower <= allowed.upper) {
      search.position = std::clamp(search.position, allowed.lower, allowed.upper);
    }
    search.error = 0.0;
    return search;
  }
  search.lower = std::clamp(open.extent.lower[axis], allowed.lower, allowed.upper);
  search.upper = std::clamp(open.extent.upper[axis], allowed.lower, allowed.upper);
  return search;
}

/// For each search: the work below its window, then the work in each of its bins.
std::vector<std::int64_t> Bisector::Histogram(const std::vector<Search>& searches,
                                              std::size_t bins) const {
  std::vector<std::int64_t> work((bins + 1) * searches.size(), 0);
  const auto count = static_cast<double>(bins);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const auto number = static_cast<std::size_t>(box_of_[k]);
    const Search& search = searches[number];
    if (search.is_done) continue;
    const double key = KeyOf(items_[k], search.axis);
    if (key >= search.upper) continue;
    std::size_t bin = 0;
    if (key >= search.lower) {
      const double fraction = (key - search.lower) / (search.upper - search.lower);
      bin = 1 + static_cast<std::size_t>(std::min(fraction * count, count - 1.0));
    }
    work[(bins + 1) * number + bin] += items_[k].work;
  }
  communicator_.Sum(work);
  return work;
}

/// Finds the best edge of a bin. The bin that contains the target becomes the next window.
void Bisector::Narrow(const OpenBox& open, std::span<const std::int64_t> work, Search& search) {
  const double target = open.Target();
  const std::size_t bins = work.size() - 1;
  const double lower = search.lower, upper = search.upper;
  const double bin_width = (upper - lower) / static_cast<double>(bins);
  const auto edge = [&](std::size_t k) {
    return k == bins ? upper : lower + static_cast<double>(k) * bin_width;
  };
  std::int64_t below = 0;
  std::size_t crossing = bins;
  int equal = 0;  // number of further consecutive edges that are as good as the best
  for (std::size_t k = 0; k <= bins; ++k) {
    const auto before = static_cast<double>(below);
    below += work[k];
    if (k > 0 && before <= target && target < static_cast<double>(below)) crossing = k - 1;
    const double error = std::abs(static_cast<double>(below) - target);
    if (error < search.error) {
      search.error = error;
      search.below = below;
      search.position = edge(k);
      equal = 1;
    } else if (equal > 0 && error == search.error && below == search.below) {
      search.position = edge(k) - 0.5 * equal++ * bin_width;  // the middle of a gap
    }
  }
  const double good = kGoodShare * std::min(target, static_cast<double>(open.work) - target);
  const double narrowest = 1e-9 * open.box.Extent()[search.axis];
  search.is_done = search.error <= good || crossing == bins || bin_width < narrowest;
  if (search.is_done) return;
  search.lower = edge(crossing);
  search.upper = edge(crossing + 1);
}

/// One iteration of all searches.
void Bisector::Shrink(std::vector<Search>& searches) const {
  constexpr std::size_t kMaxBins = 64, kMemory = 1 << 18;
  const std::size_t bins = std::clamp<std::size_t>(kMemory / searches.size(), 4, kMaxBins);
  const std::vector<std::int64_t> work = Histogram(searches, bins);
  for (std::size_t k = 0; k < searches.size(); ++k) {
    if (searches[k].is_done) continue;
    Narrow(open_[k], std::span(work).subspan((bins + 1) * k, bins + 1), searches[k]);
  }
}

std::vector<Search> Bisector::FindCuts() const {
  std::vector<Search> best(open_.size());
  for (std::size_t attempt = 0; attempt < 3; ++attempt) {
    std::vector<Search> searches(open_.size());
    bool any = false;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const OpenBox& open = open_[k];
      const bool is_poor = best[k].error > kPoorShare * open.PerRank();
      const bool tries = is_poor && attempt < open.axes.size();
      if (tries) searches[k] = Begin(open, open.axes[attempt]);
      searches[k].is_done = searches[k].is_done || !tries;
      any = any || tries;
    }
    if (!any) break;
    while (std::ranges::any_of(searches, [](const Search& search) { return !search.is_done; })) {
      Shrink(searches);
    }
    for (std::size_t k = 0; k < open_.size(); ++k) {
      if (searches[k].error < best[k].error) best[k] = searches[k];
    }
  }
  return best;
}

void Bisector::AddSide(const TreeNode& node, const Box& box, std::int64_t work,
                       std::vector<OpenBox>& next, std::vector<Index>& number) {
  if (node.IsLeaf()) {
    number.push_back(-1);
    max_work_ = std::max(max_work_, work);
  } else {
    number.push_back(static_cast<Index>(next.size()));
    next.push_back({node, box, work, {}, {}});
  }
}

void Bisector::Divide(const std::vector<Search>& searches) {
  std::vector<OpenBox> next;
  std::vector<Index> number;  // box number of the two sides of each box in `next`; −1: finished
  for (std::size_t k = 0; k < open_.size(); ++k) {
    const OpenBox& open = open_[k];
    const Cut cut{searches[k].position, searches[k].axis, open.RanksBelow()};
    tree_[open.node.cut] = cut;
    AddSide(open.node.Lower(cut), LowerPart(open.box, cut), searches[k].below, next, number);
    AddSide(open.node.Upper(cut), UpperPart(open.box, cut), open.work - searches[k].below, next,
            number);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const auto box = static_cast<std::size_t>(box_of_[k]);
    const Cut& cut = tree_[open_[box].node.cut];
    WorkItem item = items_[k];
    const bool a_below = item.a[cut.axis] < cut.position, b_below = item.b[cut.axis] < cut.position;
    // An item that crosses the cut counts for the lower side, at the position of its particle on
    // that side.
    if (a_below && !b_below) item.b = item.a;
    if (b_below && !a_below) item.a = item.b;
    const Index to = number[2 * box + (a_below || b_below ? 0 : 1)];
    if (to < 0) continue;
    items_[kept] = item;
    box_of_[kept++] = to;
  }
  items_.resize(kept);
  box_of_.resize(kept);
  open_ = std::move(next);
}

}  // namespace

Bisection Bisect(const Communicator& communicator, const Domain& domain, int boxes,
                 double min_width, std::vector<WorkItem> items, const std::vector<Cut>& before) {
  SCREE_DEMAND(boxes >= 1);
  if (boxes == 1) return {{{1, 1, 1}, {}}, 1.0};
  return Bisector(communicator, domain, boxes, min_width, std::move(items), before).CutAll();
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
