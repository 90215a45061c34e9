// The runner: loads a compiled .cu file without running any of it, closes itself in, and only then
// runs the file's initialisers and what standard input asks for.
//
//   runner check RESULTS FILE             then one line a case
//   runner main RESULTS FILE ARGUMENT...  runs the file's own main
//
// RESULTS is the descriptor to write results to. The first line of standard input holds the token,
// the number of workers, the limit on processor seconds, and the kernel's parameter names (check)
// or whether launches are carried out (main).
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <sstream>

#include "../include/simt/host.h"
#include "protocol.h"
#include "sandbox.h"

namespace simt {

namespace {

struct Own {
  Module module;
  bool execute = false;
  u32 count = 0;
  std::atomic<const char*> entered{nullptr};
} own;

void find_extent(Module& module, const char* path) {
  struct Search {
    Module* module;
    const char* path;
  } search{&module, path};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* opaque) {
        const Search& s = *static_cast<Search*>(opaque);
        if (strcmp(info->dlpi_name, s.path)) return 0;
        s.module->base = info->dlpi_addr;
        s.module->low = ~uintptr_t{0};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          s.module->low = std::min(s.module->low, uintptr_t(info->dlpi_addr + segment.p_vaddr));
          s.module->high = std::max(
              s.module->high, uintptr_t(info->dlpi_addr + segment.p_vaddr + segment.p_memsz));
        }
        return 1;
      },
      &search);
}

Module open_module(const char* path) {
  Module module;
  module.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module.handle) Channel::get().fail("load", dlerror());
  find_extent(module, path);
  return module;
}

// The file's initialisers, which the loader does not know of: toolchain.py has moved them to these
// tags, so that loading a source runs none of its code.
constexpr ElfW(Sxword) kMoved = 0x60000d10;

void run_initialisers(const Module& module) {
  link_map* map = nullptr;
  if (dlinfo(module.handle, RTLD_DI_LINKMAP, &map)) Channel::get().fail("load", dlerror());
  using Initialiser = void (*)(int, char**, char**);
  const Initialiser* first = nullptr;
  size_t count = 0;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == kMoved + DT_INIT_ARRAY) {
      first = reinterpret_cast<const Initialiser*>(map->l_addr + entry->d_un.d_ptr);
    } else if (entry->d_tag == kMoved + DT_INIT_ARRAYSZ) {
      count = entry->d_un.d_val / sizeof(Initialiser);
    } else if (entry->d_tag == DT_INIT || entry->d_tag == DT_INIT_ARRAY) {
      Channel::get().fail("load", "its initialisers have run before the walls stood");
    }
  }
  for (size_t i = 0; first && i < count; ++i) first[i](0, nullptr, nullptr);
}

void check(Module& module, std::istream& requests, const std::string& names) {
  module.kernel = *static_cast<const Kernel* const*>(dlsym(module.handle, "simt_kernel"));
  for (std::string line; std::getline(requests, line);) {
    std::istringstream in(line);
    Request r;
    u32 fill = 0, order = 0;
    in >> r.id >> r.gemm.m >> r.gemm.n >> r.gemm.k >> r.task.block.x >> r.task.block.y >>
        r.task.grid.x >> r.task.grid.y >> r.task.shared_bytes >> r.gemm.seed >> r.task.watch >>
        r.task.watch_stale >> fill >> order >> r.task.seconds;
    if (!in) Channel::get().fail("request", line);
    r.gemm.fill = Fill(fill);
    r.task.order = Order(order);
    r.task.seed = r.gemm.seed;
    if (!check_case(module, r, names)) break;  // what follows would most likely hang as well
  }
}

}  // namespace

Channel& Channel::get() {
  static Channel channel;
  return channel;
}

void Channel::open(int descriptor, const std::string& token) {
  descriptor_ = descriptor;
  token_ = token;
}

void Channel::send(const std::string& json) {
  const std::string line = token_ + " " + json + "\n";
  for (size_t done = 0; done < line.size();) {
    const long written = own_write(descriptor_, line.data() + done, line.size() - done);
    if (written <= 0) _exit(1);
    done += size_t(written);
  }
}

void Channel::fail(const std::string& kind, const std::string& message) {
  send("{\"failed\":" + quoted(kind) + ",\"message\":" + quoted(message) + "}");
  _exit(1);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void note_entered(const char* kernel) {
  if (!own.entered.load(std::memory_order_relaxed)) own.entered = kernel;
}

// A launch that the file's own main makes: reported, and carried out if asked.
void run_own_launch(const Launch& launch) {
  const auto size = [](dim3 d) {
    return "[" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + "]";
  };
  const u32 number = own.count++;
  Channel::get().send("{\"launch\":" + std::to_string(number) +
                      ",\"kernel\":" + quoted(launch.name) +
                      ",\"line\":" + std::to_string(launch.line) + ",\"grid\":" + size(launch.grid) +
                      ",\"block\":" + size(launch.block) +
                      ",\"shared_bytes\":" + std::to_string(launch.shared_bytes) +
                      ",\"arguments\":" + quoted(launch.arguments) + "}");
  const u64 threads = u64(launch.block.x) * launch.block.y * launch.block.z;
  const u64 blocks = u64(launch.grid.x) * launch.grid.y * launch.grid.z;
  if (!threads || threads > Worker::kMaxThreads || !blocks) {
    simt_set_error(cudaErrorInvalidConfiguration);
    return;
  }
  if (!own.execute) return;
  Task task;
  task.grid = launch.grid;
  task.block = launch.block;
  task.shared_bytes = launch.shared_bytes;
  task.call = launch.call;
  task.context = launch.context;
  task.text = own.module.base;
  task.module_low = own.module.low;
  task.module_high = own.module.high;
  task.seconds = 3600;  // the parent has a clock of its own
  Outcome outcome;
  own.entered = nullptr;
  Pool::get().run(task, outcome);
  if (const char* kernel = own.entered) {
    Channel::get().send("{\"entered\":" + quoted(kernel) + ",\"at\":" + std::to_string(number) + "}");
  }
  if (!outcome.faults.empty()) simt_set_error(cudaErrorIllegalAddress);
}

}  // namespace simt

int main(int argc, char** argv) {
  using namespace simt;
  std::string token, rest;
  u32 workers = 1, seconds = 60;
  std::istringstream input({std::istreambuf_iterator<char>(std::cin), {}});
  std::string line;
  if (argc < 4 || !std::getline(input, line)) return 2;
  std::istringstream(line) >> token >> workers >> seconds >> rest;
  const int results = atoi(argv[2]);
  Channel::get().open(results, token);
  static char printed[BUFSIZ];
  setvbuf(stdout, printed, _IOFBF, sizeof printed);  // or the library would ask what it prints to
  install_handlers();
  set_limits(seconds);
  close_descriptors(results);
  own.module = open_module(argv[3]);
  const int landlock = wall_off_files();
  Pool::get().start(workers);
  const bool closed = wall_off_system();
  Channel::get().send("{\"seccomp\":" + std::to_string(closed) +
                      ",\"landlock\":" + std::to_string(landlock) + "}");
  if (!closed && !getenv("COURSE_TRUST_SOURCE")) _exit(1);  // before any code of the source runs
  run_initialisers(own.module);
  if (!strcmp(argv[1], "check")) {
    check(own.module, input, rest);
  } else {
    own.execute = rest == "1";
    using Main = int (*)(int, char**);
    const auto entry = reinterpret_cast<Main>(dlsym(own.module.handle, "simt_main"));
    if (!entry) Channel::get().fail("main", "the file has no main");
    const int status = entry(argc - 3, argv + 3);
    fflush(nullptr);
    Channel::get().send("{\"status\":" + std::to_string(status) + "}");
  }
  Channel::get().send("{\"end\":1}");
  fflush(nullptr);
  _exit(0);
}
