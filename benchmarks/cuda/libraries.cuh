// cuBLAS and NVML, opened at run time, so that nothing here needs their headers. CUBLAS names the file of the first.
#pragma once

#include <dlfcn.h>

#include "common.cuh"

// The parts of cublas_api.h that are called here.
using Handle = void*;
using Create = int (*)(Handle*);
using GemmEx = int (*)(Handle, int, int, int, int, int, const void*, const void*, cudaDataType, int, const void*,
                       cudaDataType, int, const void*, void*, cudaDataType, int, int, int);
using Version = int (*)(Handle, int*);
constexpr int COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_32F_FAST_TF32 = 77;

struct Cublas {
  Handle handle = nullptr;
  GemmEx gemm = nullptr;
  int version = 0;
  Cublas() {
    std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    if (const char* named = std::getenv("CUBLAS")) {
      std::string file = named, lt = file;
      size_t at = lt.rfind("libcublas");
      if (at != std::string::npos) dlopen(lt.replace(at, 9, "libcublasLt").c_str(), RTLD_NOW | RTLD_GLOBAL);
      names.insert(names.begin(), file);
    }
    void* library = nullptr;
    for (const auto& name : names)
      if ((library = dlopen(name.c_str(), RTLD_NOW))) break;
    if (!library) {
      std::fprintf(stderr, "no cuBLAS: %s\n", dlerror());
      return;
    }
    auto create = Create(dlsym(library, "cublasCreate_v2"));
    auto get_version = Version(dlsym(library, "cublasGetVersion_v2"));
    gemm = GemmEx(dlsym(library, "cublasGemmEx"));
    require(create && gemm && get_version && create(&handle) == 0 && get_version(handle, &version) == 0, "cublasCreate");
  }
};

// The clock and the power of the board while work runs, from NVML, opened at run time too.
struct Board {
  using Get = int (*)(void*, int, unsigned*);
  using GetPower = int (*)(void*, unsigned*);
  void* device = nullptr;
  Get clock_info = nullptr;
  GetPower power_usage = nullptr;
  Board() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library) return;
    auto init = (int (*)())dlsym(library, "nvmlInit_v2");
    auto get = (int (*)(unsigned, void**))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    clock_info = Get(dlsym(library, "nvmlDeviceGetClockInfo"));
    power_usage = GetPower(dlsym(library, "nvmlDeviceGetPowerUsage"));
    if (!init || !get || !clock_info || !power_usage || init() || get(0, &device)) device = nullptr;
  }
  double mhz() const {
    unsigned value = 0;
    require(clock_info(device, 1, &value) == 0, "NVML clock");  // 1: the SM clock
    return value;
  }
  double watts() const {
    unsigned value = 0;
    require(power_usage(device, &value) == 0, "NVML power");
    return value / 1e3;
  }
};
