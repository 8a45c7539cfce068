//===- Dims.cpp - Sizes of a model's inputs -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Dims.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace mkc::driver;

static std::string quote(llvm::StringRef text) {
  return ("'" + text + "'").str();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static bool parseSize(llvm::StringRef text, int64_t &size) {
  return !text.getAsInteger(10, size) && size >= 0;
}

std::string mkc::driver::parseDimRequest(llvm::StringRef text,
                                         DimRequest &out) {
  auto [name, value] = text.rsplit('=');
  auto [low, high] = value.split("..");
  bool isRange = value.contains("..");
  if (name.empty() || !parseSize(low, out.range.low) ||
      !parseSize(isRange ? high : low, out.range.high))
    return ("--dim " + text +
            " is not of the form NAME=N, NAME=LOW..HIGH or INPUT:AXIS=N")
        .str();
  if (out.range.low > out.range.high)
    return ("--dim " + text + ": " + low + " is above " + high).str();
  out.name = name.str();
  return {};
}

std::string Dims::request(const DimRequest &request) {
  std::optional<std::string> symbol = findSymbol(request.name);
  if (!symbol)
    return "--dim " + request.name + ": the model has no such dim; it has " +
           listSymbols();
  auto [it, isNew] = requests.try_emplace(*symbol, request.range);
  if (!isNew && it->second != request.range)
    return "--dim " + request.name + " is given twice, with different values";
  return {};
}

/// The symbol that the user means: a dim's name, or INPUT:AXIS.
std::optional<std::string> Dims::findSymbol(llvm::StringRef name) const {
  auto [inputName, axisText] = name.rsplit(':');
  size_t axis;
  bool hasAxis = name.contains(':') && !axisText.getAsInteger(10, axis);
  std::optional<std::string> byAxis;
  for (const Input &input : declared) {
    if (!input.dims)
      continue;
    for (auto [i, dim] : llvm::enumerate(*input.dims)) {
      if (!std::holds_alternative<std::string>(dim))
        continue;
      if (std::get<std::string>(dim) == name)
        return name.str();
      if (hasAxis && input.name == inputName && i == axis)
        byAxis = symbolOf(input, axis);
    }
  }
  for (const auto &[text, expression] : expressions)
    if (llvm::is_contained(expression.names(), name))
      return name.str();
  return byAxis;
}

std::string Dims::listSymbols() const {
  std::set<std::string> names;
  for (const Input &input : declared)
    for (size_t axis = 0; input.dims && axis < input.dims->size(); ++axis)
      if (std::holds_alternative<std::string>((*input.dims)[axis]))
        names.insert(quote(symbolOf(input, axis)));
  return names.empty() ? "static dims only" : llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Dims::Dims(std::vector<Input> inputs) : declared(std::move(inputs)) {
  for (const Input &input : declared)
    for (size_t axis = 0; input.dims && axis < input.dims->size(); ++axis)
      if (auto *name = std::get_if<std::string>(&(*input.dims)[axis]))
        if (auto expression = DimExpression::parse(*name))
          expressions.emplace(*name, std::move(*expression));
}

Dims Dims::ofModule(ModuleOp module) {
  std::vector<Input> inputs;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; main && i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<StringAttr>(i, "onnx.name");
    Input input{name ? name.str() : "", std::nullopt};
    if (auto dims = main.getArgAttrOfType<ArrayAttr>(i, "onnx.dims")) {
      input.dims.emplace();
      for (Attribute dim : dims)
        if (auto number = dyn_cast<IntegerAttr>(dim))
          input.dims->emplace_back(number.getInt());
        else if (auto text = dyn_cast<StringAttr>(dim))
          input.dims->emplace_back(text.str());
        else // text that no import has written
          input.dims->emplace_back("");
    }
    inputs.push_back(std::move(input));
  }
  return Dims(std::move(inputs));
}

/// The name under which a dim is bound; an anonymous dim's is INPUT:AXIS.
std::string Dims::symbolOf(const Input &input, size_t axis) const {
  const auto &name = std::get<std::string>((*input.dims)[axis]);
  return name.empty() ? input.name + ":" + std::to_string(axis) : name;
}

std::string Dims::bind(llvm::StringRef symbol, int64_t size,
                       const std::string &source) {
  std::string name = symbol.str();
  if (auto asked = requests.find(name); asked != requests.end()) {
    DimRange range = asked->second;
    if (size < range.low || size > range.high)
      return "dim " + quote(symbol) + " is " + std::to_string(size) + " in " +
             source + ", but --dim says " + std::to_string(range.low) +
             (range.isPoint() ? "" : ".." + std::to_string(range.high));
  }
  auto [it, isNew] = bindings.try_emplace(name, Binding{size, source});
  if (!isNew && it->second.size != size)
    return "dim " + quote(symbol) + " is " + std::to_string(it->second.size) +
           " in " + it->second.source + ", but " + std::to_string(size) +
           " in " + source;
  return {};
}

std::string Dims::observe(llvm::StringRef name, ArrayRef<int64_t> shape) {
  auto input = llvm::find_if(
      declared, [&](const Input &input) { return input.name == name; });
  if (input == declared.end())
    return "the model has no input " + quote(name);
  if (!input->dims) // whatever it is, it is this shape from now on
    input->dims.emplace(shape.begin(), shape.end());
  if (input->dims->size() != shape.size())
    return "input " + quote(name) + " has rank " +
           std::to_string(shape.size()) + ", but the model declares rank " +
           std::to_string(input->dims->size());
  std::string source = "input " + quote(name);
  for (auto [axis, size] : llvm::enumerate(shape)) {
    auto *number = std::get_if<int64_t>(&(*input->dims)[axis]);
    if (number && *number != size)
      return source + " has size " + std::to_string(size) + " in dim " +
             std::to_string(axis) + ", but the model declares " +
             std::to_string(*number);
    if (number)
      continue;
    std::string error = bind(symbolOf(*input, axis), size, source);
    if (!error.empty())
      return error;
  }
  return {};
}

std::optional<DimRange> Dims::given(llvm::StringRef symbol) const {
  if (auto it = bindings.find(symbol.str()); it != bindings.end())
    return DimRange{it->second.size, it->second.size};
  if (auto it = requests.find(symbol.str()); it != requests.end())
    return it->second;
  return std::nullopt;
}

std::optional<DimRange> Dims::derived(const DimExpression &expression) const {
  return expression.evaluate([&](llvm::StringRef name) { return given(name); });
}

std::optional<DimRange> Dims::rangeOf(llvm::StringRef symbol) const {
  if (std::optional<DimRange> range = given(symbol))
    return range;
  auto expression = expressions.find(symbol.str());
  return expression == expressions.end() ? std::nullopt
                                         : derived(expression->second);
}

std::string Dims::check() const {
  for (const auto &[text, expression] : expressions) {
    std::optional<DimRange> own = given(text), range = derived(expression);
    if (!own || !range || (own->high >= range->low && own->low <= range->high))
      continue;
    std::string values;
    for (const std::string &name : expression.names())
      values += (values.empty() ? " with " : ", ") + name + " = " +
                std::to_string(given(name)->low);
    auto it = bindings.find(text);
    return "dim " + quote(text) + " is " + std::to_string(own->low) + " in " +
           (it == bindings.end() ? "--dim" : it->second.source) + ", but " +
           std::to_string(range->low) + values;
  }
  return {};
}

std::optional<int64_t> Dims::sizeOf(const Input &input, size_t axis) const {
  if (auto *number = std::get_if<int64_t>(&(*input.dims)[axis]))
    return *number;
  std::optional<DimRange> range = rangeOf(symbolOf(input, axis));
  if (!range || !range->isPoint() || range->low < 0)
    return std::nullopt;
  return range->low;
}

std::vector<std::string> Dims::unsized() const {
  std::vector<std::string> symbols;
  for (const Input &input : declared)
    for (size_t axis = 0; input.dims && axis < input.dims->size(); ++axis)
      if (!sizeOf(input, axis))
        if (std::string symbol = symbolOf(input, axis);
            !llvm::is_contained(symbols, symbol))
          symbols.push_back(symbol);
  return symbols;
}

std::vector<std::string> Dims::unbound() const {
  std::vector<std::string> names;
  for (const Input &input : declared)
    if (!input.dims)
      names.push_back(input.name);
  for (const std::string &symbol : unsized())
    if (std::optional<DimRange> range = rangeOf(symbol);
        !range || range->isPoint()) // a single size below zero is none
      names.push_back(symbol);
  return names;
}

std::vector<std::string> Dims::ranges() const {
  std::set<std::string> names;
  for (const std::string &symbol : unsized()) {
    if (requests.contains(symbol))
      names.insert(symbol);
    else if (auto it = expressions.find(symbol); it != expressions.end())
      for (llvm::StringRef name : it->second.names())
        names.insert(name.str());
  }
  std::vector<std::string> texts;
  for (const std::string &name : names)
    if (auto it = requests.find(name);
        it != requests.end() && !it->second.isPoint())
      texts.push_back(name + "=" + std::to_string(it->second.low) + ".." +
                      std::to_string(it->second.high));
  return texts;
}

std::optional<std::vector<int64_t>> Dims::shape(llvm::StringRef name) const {
  for (const Input &input : declared) {
    if (input.name != name || !input.dims)
      continue;
    std::vector<int64_t> shape;
    for (size_t axis = 0; axis < input.dims->size(); ++axis) {
      std::optional<int64_t> size = sizeOf(input, axis);
      if (!size)
        return std::nullopt;
      shape.push_back(*size);
    }
    return shape;
  }
  return std::nullopt;
}
