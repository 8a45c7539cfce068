//===- CudaChip.cpp - One row per NVIDIA chip -----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "target/CudaChip.h"

#include "runtime/format/DeviceAbi.h"

using namespace mkc;
namespace format = mkrt::format;

static constexpr uint32_t KB = 1024;
static constexpr uint64_t MB = 1024 * 1024;
static constexpr double GB_s = 1e9, TB_s = 1e12, MHz = 1e6;

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

// Sources. [P] CUDA C++ Programming Guide 13, appendix "Compute Capabilities",
// table "Technical Specifications per Compute Capability": shared memory per
// SM, shared memory per block (always 1 KB less, which the system keeps),
// registers and threads per SM. [P] also says that registers are allocated to
// warps in units of 256. [C] CUTLASS, include/cutlass/arch/arch.h:
// sm107_smem_capacity_bytes = 334848, which is 327 KB; with the system's 1 KB
// that makes 328 KB per SM. [N] measured: NVRTC 13.5 refuses cp.async.bulk
// below sm_90, and
// limits static shared memory to 227 KB on sm_90 ... sm_107, 99 KB on sm_120.
// Registers and threads of sm_107 are those of sm_103, whose
// instruction set it has (estimate).
static constexpr CudaArchitecture kArchitectures[] = {
    // name, capability, bulk [N], shared per SM and block [P], registers per
    // SM and unit [P], threads per SM [P]
    {"sm_80", 8, 0, false, 164 * KB, 163 * KB, 65536, 256, 2048},
    {"sm_86", 8, 6, false, 100 * KB, 99 * KB, 65536, 256, 1536},
    {"sm_89", 8, 9, false, 100 * KB, 99 * KB, 65536, 256, 1536},
    {"sm_90a", 9, 0, true, 228 * KB, 227 * KB, 65536, 256, 2048},
    {"sm_100a", 10, 0, true, 228 * KB, 227 * KB, 65536, 256, 2048},
    {"sm_103a", 10, 3, true, 228 * KB, 227 * KB, 65536, 256, 2048},
    {"sm_107a", 10, 7, true, 328 * KB, 327 * KB, 65536, 256, 2048}, // [C]
    {"sm_120a", 12, 0, true, 100 * KB, 99 * KB, 65536, 256, 1536},
};

static constexpr const CudaArchitecture &arch(std::string_view name) {
  for (const CudaArchitecture &a : kArchitectures)
    if (a.name == name)
      return a;
  throw "no such architecture"; // a compile error where it is used below
}
static constexpr const CudaArchitecture &kSm80 = arch("sm_80");
static constexpr const CudaArchitecture &kSm86 = arch("sm_86");
static constexpr const CudaArchitecture &kSm89 = arch("sm_89");
static constexpr const CudaArchitecture &kSm90a = arch("sm_90a");
static constexpr const CudaArchitecture &kSm100a = arch("sm_100a");
static constexpr const CudaArchitecture &kSm103a = arch("sm_103a");
static constexpr const CudaArchitecture &kSm107a = arch("sm_107a");
static constexpr const CudaArchitecture &kSm120a = arch("sm_120a");

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

// Sources of SMs, L2, bandwidth and boost clock, by NVIDIA where nothing else
// is said. "(estimate)" stands at what no document gives.
// a100: "A100 Tensor Core GPU Architecture" whitepaper, comparison of data
//   center GPUs (108 SMs, 40 MB, 1,410 MHz); A100 datasheet, 80 GB SXM
//   (2,039 GB/s).
// rtx3090: "Ampere GA102 GPU Architecture" whitepaper, appendix on the
//   GeForce RTX 3090 (82 SMs, 6 MB, 936 GB/s, 1,695 MHz).
// a10: A10 datasheet (600 GB/s); a GA102 with 72 SMs, 6 MB, 1,695 MHz.
// rtx4090: "Ada GPU Architecture" whitepaper, specifications of the GeForce
//   RTX 4090 (128 SMs, 72 MB, 1,008 GB/s, 2,520 MHz).
// l4: L4 datasheet (300 GB/s, 2,040 MHz); an AD104 with 58 SMs and 48 MB.
// l40s: L40S datasheet (18,176 cores = 142 SMs, 864 GB/s, 2,520 MHz); an AD102
//   with 96 MB.
// h100: "H100 Tensor Core GPU Architecture" whitepaper, column H100 SXM5
//   (132 SMs, 50 MB, 3,352 GB/s); 1,980 MHz is the largest clock that
//   nvidia-smi offers.
// h200: H200 datasheet (4.8 TB/s); otherwise the GH100 of the H100 SXM5.
// b200: HGX B200 datasheet (8 TB/s; some boards have 7.7); what devices report
//   to cudaGetDeviceProperties: 148 SMs, 126 MB, 1,965 MHz.
// b300: HGX B300 datasheet (8 TB/s); devices report 148 SMs (GB300: 152).
//   L2 and clock as b200 (estimate).
// rubin: "Inside the NVIDIA Rubin GPU Architecture", developer blog (224 SMs,
//   22 TB/s). L2 and clock as b200 (estimate).
// rtx5090: "RTX Blackwell GPU Architecture" whitepaper, specifications of the
//   GeForce RTX 5090 (170 SMs, 96 MB, 1,792 GB/s, 2,407 MHz).
// rtxpro6000: RTX PRO 6000 Blackwell Workstation Edition datasheet (24,064
//   cores = 188 SMs, 1,792 GB/s, 2,617 MHz); a GB202 with 128 MB.
//
// Latencies are estimates everywhere: instruction counts of the compiled roles
// (docs/cuda.md) at usual cycles (L2 300, memory 700, MEMBAR.GPU 750) and the
// row's clock. `signal` is 50 + 750 + 150 cycles, `observe` 80 + 300 + 50,
// `record` 600.
static constexpr CudaChip chip(std::string_view name, std::string_view product,
                               const CudaArchitecture &architecture,
                               uint32_t sms, uint64_t l2, double bandwidth,
                               double clock) {
  double cycle = 1e9 / clock;
  return {name,        product,     &architecture, sms,
          l2,          bandwidth,   clock,         950 * cycle,
          430 * cycle, 600 * cycle, 700 * cycle,   false};
}

static constexpr CudaChip kChips[] = {
    chip("a100", "NVIDIA A100 80GB SXM", kSm80, 108, 40 * MB, 2039 * GB_s,
         1410 * MHz),
    chip("rtx3090", "NVIDIA GeForce RTX 3090", kSm86, 82, 6 * MB, 936 * GB_s,
         1695 * MHz),
    chip("a10", "NVIDIA A10", kSm86, 72, 6 * MB, 600 * GB_s, 1695 * MHz),
    chip("rtx4090", "NVIDIA GeForce RTX 4090", kSm89, 128, 72 * MB, 1008 * GB_s,
         2520 * MHz),
    chip("l4", "NVIDIA L4", kSm89, 58, 48 * MB, 300 * GB_s, 2040 * MHz),
    chip("l40s", "NVIDIA L40S", kSm89, 142, 96 * MB, 864 * GB_s, 2520 * MHz),
    chip("h100", "NVIDIA H100 SXM", kSm90a, 132, 50 * MB, 3352 * GB_s,
         1980 * MHz),
    chip("h200", "NVIDIA H200 SXM", kSm90a, 132, 50 * MB, 4.8 * TB_s,
         1980 * MHz),
    chip("b200", "NVIDIA B200", kSm100a, 148, 126 * MB, 8 * TB_s, 1965 * MHz),
    chip("b300", "NVIDIA B300", kSm103a, 148, 126 * MB, 8 * TB_s, 1965 * MHz),
    chip("rubin", "NVIDIA Rubin", kSm107a, 224, 126 * MB, 22 * TB_s,
         1965 * MHz),
    chip("rtx5090", "NVIDIA GeForce RTX 5090", kSm120a, 170, 96 * MB,
         1792 * GB_s, 2407 * MHz),
    chip("rtxpro6000", "NVIDIA RTX PRO 6000 Blackwell", kSm120a, 188, 128 * MB,
         1792 * GB_s, 2617 * MHz),
};

std::span<const CudaArchitecture> mkc::cudaArchitectures() {
  return kArchitectures;
}
std::span<const CudaChip> mkc::cudaChips() { return kChips; }

//===----------------------------------------------------------------------===//
// What follows from a row
//===----------------------------------------------------------------------===//

std::string CudaChip::target() const {
  return std::string(architecture->name) + ":" + std::string(name);
}

/// Registers of a warp are allocated in units, and a thread's count is what
/// --maxrregcount rounds down to: a multiple of 8.
uint32_t CudaChip::registerBudget() const {
  uint32_t perWarp = architecture->registersPerSm / format::kBlockWarps;
  perWarp -= perWarp % architecture->registerUnit;
  uint32_t perThread = perWarp / 32;
  constexpr uint32_t kMostOfInstructions = 255;
  if (perThread > kMostOfInstructions)
    perThread = kMostOfInstructions;
  return perThread - perThread % 8;
}

uint32_t CudaChip::pages() const {
  return (architecture->sharedPerBlock - format::sharedBytes(0)) /
         format::kPageBytes;
}

uint32_t CudaChip::sharedBytes() const { return format::sharedBytes(pages()); }

std::string CudaChip::checkCoResident(uint32_t registers,
                                      uint32_t sharedBytes) const {
  auto refuse = [&](const char *what, uint64_t needed, uint64_t limit) {
    return std::string(product) + ": a block needs " + std::to_string(needed) +
           " " + what + ", an SM has " + std::to_string(limit);
  };
  const CudaArchitecture &a = *architecture;
  if (format::kBlockThreads > a.threadsPerSm)
    return refuse("threads", format::kBlockThreads, a.threadsPerSm);
  uint64_t perWarp = uint64_t(registers) * 32;
  perWarp += (a.registerUnit - perWarp % a.registerUnit) % a.registerUnit;
  if (perWarp * format::kBlockWarps > a.registersPerSm)
    return refuse("registers", perWarp * format::kBlockWarps, a.registersPerSm);
  if (sharedBytes > a.sharedPerBlock)
    return refuse("bytes of shared memory", sharedBytes, a.sharedPerBlock);
  return "";
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// All architectures, or the chips of one.
static std::string listNames(const CudaArchitecture *of) {
  std::string text;
  auto add = [&](std::string_view name) {
    text += (text.empty() ? "" : ", ") + std::string(name);
  };
  if (of) {
    for (const CudaChip &chip : kChips)
      if (chip.architecture == of)
        add(chip.name);
  } else {
    for (const CudaArchitecture &a : kArchitectures)
      add(a.name);
  }
  return text;
}

const CudaChip *mkc::findCudaChip(std::string_view target, std::string &error) {
  size_t colon = target.find(':');
  std::string_view name = target.substr(0, colon);
  const CudaArchitecture *architecture = nullptr;
  for (const CudaArchitecture &a : kArchitectures)
    if (a.name == name)
      architecture = &a;
  if (!architecture) {
    error = "unknown architecture '" + std::string(name) +
            "'; there are: " + listNames(nullptr);
    return nullptr;
  }
  for (const CudaChip &chip : kChips)
    if (chip.architecture == architecture &&
        (colon == std::string_view::npos ||
         chip.name == target.substr(colon + 1)))
      return &chip;
  error = "unknown chip '" + std::string(target.substr(colon + 1)) + "' of " +
          std::string(name) + "; there are: " + listNames(architecture);
  return nullptr;
}
