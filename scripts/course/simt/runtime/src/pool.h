// Runs a launch: blocks on several workers, one on each processor, with a limit on time.
#pragma once

#include <memory>

#include "worker.h"

namespace simt {

struct Outcome {
  Faults faults;
  Sites sites;
  Traffic traffic;
  std::vector<SharedArray> arrays;
  double seconds = 0;
};

class Pool {
 public:
  static Pool& get();
  void start(u32 workers);  // once, before the first launch
  void run(Task& task, Outcome& outcome);

 private:
  struct Crew;
  Pool();
  ~Pool();
  std::unique_ptr<Crew> crew_;
};

void install_handlers();  // faults of the processor become faults of the kernel

}  // namespace simt
