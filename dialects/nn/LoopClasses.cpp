//===- LoopClasses.cpp - Loops that several ops can be tiled by -----------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Union-find over all loops: a loop that produces dim j of a value and a loop
// that reads that dim at its own index are one class. A dim that is read in any
// other way must be whole, which spoils the class of the loop that produces it.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/LoopClasses.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mkc::nn;

namespace {
class ClassFinder {
public:
  explicit ClassFinder(ArrayRef<Structured> ops) : ops(ops) {
    for (const Structured &op : ops) {
      firstLoop.push_back(parent.size());
      for (unsigned d = 0; d < op.rank(); ++d) {
        parent.push_back(parent.size());
        spoiled.push_back(!op.parallel[d]);
      }
    }
  }

  LoopClasses run() {
    connect();
    spoilClassesOfOneOp();
    return number();
  }

private:
  unsigned find(unsigned loop) {
    while (parent[loop] != loop)
      loop = parent[loop] = parent[parent[loop]];
    return loop;
  }

  void join(unsigned a, unsigned b) {
    a = find(a);
    b = find(b);
    if (a == b)
      return;
    parent[a] = b;
    spoiled[b] = spoiled[b] || spoiled[a];
  }

  void connect() {
    llvm::DenseMap<Value, std::pair<unsigned, const IndexMap *>> producers;
    for (auto [n, op] : llvm::enumerate(ops)) {
      for (auto [value, map] : llvm::zip(op.inputs, op.inputMaps))
        if (auto found = producers.find(value); found != producers.end())
          connectDims(found->second.first, *found->second.second, n, map);
      for (auto [value, map] : llvm::zip(op.results, op.resultMaps))
        producers[value] = {n, &map};
    }
  }

  void connectDims(unsigned producer, const IndexMap &written,
                   unsigned consumer, const IndexMap &read) {
    for (auto [to, from] : llvm::zip(written.exprs, read.exprs)) {
      std::optional<unsigned> made = asDim(to), used = asDim(from);
      if (!made || ops[producer].extents[*made] == 1)
        continue;
      unsigned loop = firstLoop[producer] + *made;
      if (used && ops[consumer].extents[*used] == ops[producer].extents[*made])
        join(loop, firstLoop[consumer] + *used);
      else
        spoiled[find(loop)] = true;
    }
  }

  /// A tile must be one loop of every op.
  void spoilClassesOfOneOp() {
    llvm::DenseMap<unsigned, unsigned> members;
    for (auto [n, op] : llvm::enumerate(ops)) {
      llvm::DenseMap<unsigned, unsigned> here;
      for (unsigned d = 0; d < op.rank(); ++d)
        if (++here[find(firstLoop[n] + d)] > 1)
          spoiled[find(firstLoop[n] + d)] = true;
      for (auto [root, count] : here)
        ++members[root];
    }
    for (auto [root, count] : members)
      if (count != ops.size())
        spoiled[root] = true;
  }

  LoopClasses number() {
    LoopClasses classes;
    llvm::DenseMap<unsigned, int> numbers;
    unsigned last = ops.size() - 1;
    for (unsigned d = 0; d < ops[last].rank(); ++d) {
      unsigned root = find(firstLoop[last] + d);
      if (spoiled[root])
        continue;
      numbers[root] = classes.extents.size();
      classes.extents.push_back(ops[last].extents[d]);
    }
    for (auto [n, op] : llvm::enumerate(ops)) {
      SmallVector<int> &loops = classes.classOf.emplace_back();
      for (unsigned d = 0; d < op.rank(); ++d) {
        auto found = numbers.find(find(firstLoop[n] + d));
        loops.push_back(found == numbers.end() ? -1 : found->second);
      }
    }
    return classes;
  }

  ArrayRef<Structured> ops;
  SmallVector<unsigned> firstLoop, parent;
  SmallVector<bool> spoiled;
};
} // namespace

int64_t LoopClasses::tiles() const {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

LoopClasses mkc::nn::findLoopClasses(ArrayRef<Structured> ops) {
  return ClassFinder(ops).run();
}
