// One case: the kernel is called as a GEMM, and everything seen goes into one result.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "protocol.h"

namespace simt {

namespace {

constexpr u32 kPoison = 0x7f9eadbe;        // a signalling NaN: arithmetic makes another of it
constexpr u32 kFinitePoison = 0xed5a5a5a;  // where beta times C is part of the sum

// The arguments of a kernel whose parameters are those of a GEMM, in any of the usual spellings.
struct Arguments {
  std::vector<std::string> names;
  std::vector<void*> pointers;
  std::vector<u64> values;  // storage
  Buffer* a = nullptr;
  Buffer* b = nullptr;
  Buffer* c = nullptr;
  bool scaled = false;
  std::string error;

  Arguments(const Kernel& kernel, const std::string& list, const Gemm& gemm) {
    std::istringstream in(list);
    for (std::string name; std::getline(in, name, ',');) names.push_back(name);
    names.resize(size_t(kernel.count));
    values.resize(size_t(kernel.count));
    int inputs = 0, outputs = 0, integers = 0, floats = 0;
    bool by_name = true;
    for (int i = 0; i < kernel.count; ++i) {
      const Param p = kernel.params[i];
      if (p != Param::kInt32 && p != Param::kInt64) continue;
      ++integers;
      by_name = by_name && size_name(names[size_t(i)]) != 0;
    }
    if (integers == 1 && (gemm.m != gemm.n || gemm.n != gemm.k)) {
      error = "square";
      return;
    }
    if (integers != 1 && integers != 3) {
      error = "signature";
      return;
    }
    int integer = 0;
    for (int i = 0; i < kernel.count; ++i) {
      u64& value = values[size_t(i)];
      const std::string& name = names[size_t(i)];
      switch (kernel.params[i]) {
        case Param::kConstFloats: {
          const size_t count = inputs ? gemm.k * gemm.n : gemm.m * gemm.k;
          Buffer*& buffer = inputs++ ? b : a;
          buffer = make(name, count, inputs == 1 ? gemm.k : gemm.n, true);
          value = reinterpret_cast<u64>(buffer->data());
          break;
        }
        case Param::kFloats:
          ++outputs;
          c = make(name, gemm.m * gemm.n, gemm.n, false);
          value = reinterpret_cast<u64>(c->data());
          break;
        case Param::kInt32:
        case Param::kInt64: {
          const char which = integers == 1 ? 'm' : by_name ? size_name(name) : "mnk"[integer];
          ++integer;
          const u64 size = which == 'm' ? gemm.m : which == 'n' ? gemm.n : gemm.k;
          memcpy(&value, &size, sizeof size);
          break;
        }
        case Param::kFloat: {
          const float factor = floats++ ? 0.0f : 1.0f;
          memcpy(&value, &factor, sizeof factor);
          scaled = floats > 1;
          break;
        }
        case Param::kOther: error = "signature"; return;
      }
      if (inputs > 2 || outputs > 1 || floats > 2) break;
    }
    if (inputs != 2 || outputs != 1 || floats > 2) error = "signature";
    for (u64& value : values) pointers.push_back(&value);
  }

 private:
  static Buffer* make(const std::string& name, size_t floats, size_t columns, bool input) {
    Arena::get().allocate(name, floats * sizeof(float), input);
    Buffer* buffer = Arena::get().buffers().back().get();
    buffer->columns = columns;
    return buffer;
  }
  static char size_name(const std::string& name) {
    const char c = name.size() == 1 ? char(name[0] | 32) : '\0';
    return c == 'm' || c == 'n' || c == 'k' ? c : '\0';
  }
};

class Json {
 public:
  Json& key(const char* name) {
    text_ += text_.empty() || text_.back() == '{' || text_.back() == '[' ? "" : ",";
    text_ += '"';
    text_ += name;
    text_ += "\":";
    return *this;
  }
  Json& raw(const std::string& text) { return text_ += text, *this; }
  template <class T>
  Json& number(const char* name, T value) {
    return key(name).raw(std::to_string(value));
  }
  Json& text(const char* name, const std::string& value) { return key(name).raw(quoted(value)); }
  void next() {
    if (text_.back() == '}') text_ += ',';
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

std::string place(u64 linear, dim3 size) {
  const u64 x = linear % size.x, y = linear / size.x % size.y, z = linear / size.x / size.y;
  return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
}

std::string shown(float value) {
  if (std::isnan(value)) return "nan";  // which has a sign, and it means nothing
  char text[32];
  snprintf(text, sizeof text, "%.9g", double(value));
  return text;
}

void write_fault(Json& json, const Seen& seen, const Task& task, const Outcome& outcome) {
  std::string array;
  size_t bytes = 0, columns = 0;
  const auto& buffers = Arena::get().buffers();
  if (seen.space == Space::kShared && seen.array >= 0) {
    array = outcome.arrays[size_t(seen.array)].name;
    bytes = outcome.arrays[size_t(seen.array)].bytes;
    columns = outcome.arrays[size_t(seen.array)].columns;
  } else if (seen.array >= 0 && (seen.space == Space::kGlobal || seen.space == Space::kWild)) {
    array = buffers[size_t(seen.array)]->name;
    bytes = buffers[size_t(seen.array)]->bytes;
    columns = buffers[size_t(seen.array)]->columns;
  }
  static const char* const spaces[] = {"", "global", "shared", "wild"};
  json.next();
  json.raw("{").text("fault", fault_name(seen.fault));
  json.number("pc", pc_of(seen.site)).number("kind", u32(kind_of(seen.site)));
  json.number("bytes", bytes_of(seen.site)).number("other_pc", pc_of(seen.other_site));
  json.number("other_kind", u32(kind_of(seen.other_site)));
  json.key("block").raw(place(seen.block, task.grid));
  json.key("thread").raw(place(seen.thread, task.block));
  json.key("other_block").raw(place(seen.other_block, task.grid));
  json.key("other_thread").raw(seen.other_thread < task.threads() ? place(seen.other_thread, task.block)
                                                                  : "null");
  json.text("space", spaces[u32(seen.space)]).text("array", array).number("array_bytes", bytes);
  json.number("columns", columns);
  json.number("array_number", seen.array).number("index", seen.index);
  json.number("number", seen.number).number("total", seen.total).number("count", seen.count);
  json.raw("}");
}

void write_sites(Json& json, const Sites& sites) {
  std::vector<SiteCount> all = sites.all();
  std::sort(all.begin(), all.end(), [](const SiteCount& x, const SiteCount& y) {
    return std::pair(x.site, x.shared) < std::pair(y.site, y.shared);
  });
  json.key("sites").raw("[");
  for (const SiteCount& s : all) {
    json.next();
    json.raw("{").number("pc", pc_of(s.site)).number("kind", u32(kind_of(s.site)));
    json.number("bytes", bytes_of(s.site)).number("shared", u32(s.shared));
    json.number("requests", s.requests).number("lanes", s.lanes).number("sectors", s.sectors);
    json.number("conflicts", s.conflicts).number("worst", s.worst).raw("}");
  }
  json.raw("]");
}

// A thread that met values of two steps made a wrong element: then the old values are the cause.
bool stale_confirmed(const Task& task, const Buffer& c, const Comparison& compared) {
  return std::any_of(compared.wrong.begin(), compared.wrong.end(), [&](size_t i) {
    const u32 writer = c.cells[i].writer;
    return writer && task.read_stale[writer - 1];
  });
}

}  // namespace

bool check_case(const Module& module, Request& request, const std::string& names) {
  const Gemm& gemm = request.gemm;
  Task& task = request.task;
  Arena::get().reset();
  Arguments arguments(*module.kernel, names, gemm);
  Json json;
  json.raw("{").number("id", request.id);
  if (!arguments.error.empty()) {
    Channel::get().send(json.text("error", arguments.error).raw("}").str());
    return false;
  }
  Buffer &a = *arguments.a, &b = *arguments.b, &c = *arguments.c;
  for (size_t i = 0; i < a.words; ++i) a.data()[i] = gemm.a(i);
  for (size_t i = 0; i < b.words; ++i) b.data()[i] = gemm.b(i);
  const u32 poison = arguments.scaled ? kFinitePoison : kPoison;
  std::fill_n(reinterpret_cast<u32*>(c.data()), c.words, poison);
  if (task.watch) {
    Arena::get().track(c);
    for (Buffer* input : {&a, &b}) input->seen.assign(input->words, 0);
  }
  struct Call {
    const Kernel* kernel;
    void** arguments;
  } call{module.kernel, arguments.pointers.data()};
  task.call = [](void* opaque) {
    const Call& self = *static_cast<Call*>(opaque);
    self.kernel->call(self.arguments);
  };
  task.context = &call;
  task.text = module.base;
  task.module_low = module.low;
  task.module_high = module.high;
  if (task.watch_stale) task.read_stale.assign(task.blocks() * task.threads(), 0);

  Outcome outcome;
  Pool::get().run(task, outcome);
  Comparison compared;
  if (!task.stop) compared = compare(gemm, a.data(), b.data(), c.data(), poison);
  const bool stale = task.watch && task.watch_stale && stale_confirmed(task, c, compared);

  // A right C rests on every element of A and B: what was read unseen was read past the watching.
  const auto unseen = [](const Buffer& input) {
    return std::count(input.seen.begin(), input.seen.end(), u8{0});
  };
  json.number("unseen", unseen(a) + unseen(b));
  json.number("stopped", u32(task.stop)).number("timed_out", u32(task.timed_out));
  json.number("seconds", outcome.seconds);
  json.number("mismatches", compared.mismatches).number("unwritten", compared.unwritten);
  json.number("first", compared.first).number("first_unwritten", compared.first_unwritten);
  json.text("got", shown(compared.got)).text("expected", shown(compared.expected));
  if (compared.mismatches) {
    json.key("box").raw("[" + std::to_string(compared.low_row) + "," +
                        std::to_string(compared.high_row) + "," +
                        std::to_string(compared.low_col) + "," +
                        std::to_string(compared.high_col) + "]");
  }
  json.number("inputs_kept", u32(compared.inputs_kept));
  const Traffic& t = outcome.traffic;
  json.key("traffic").raw("{").number("threads", t.threads).number("loads", t.loads);
  json.number("stores", t.stores).number("words", t.words).number("most_loads", t.most_loads);
  json.number("most_stores", t.most_stores).number("most_words", t.most_words).raw("}");
  write_sites(json, outcome.sites);
  json.key("faults").raw("[");
  outcome.faults.each([&](const Seen& seen) {
    if (seen.fault != Fault::kStale || stale) write_fault(json, seen, task, outcome);
  });
  Channel::get().send(json.raw("]}").str());
  return !task.timed_out;
}

}  // namespace simt
