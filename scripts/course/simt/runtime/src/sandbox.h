// Closing the runner in, before any code of the source runs.
#pragma once

#include <cstddef>

namespace simt {

// Bounds on processor time, memory, open files; no files written, no core dumps. Also ends this
// process with its parent, since nobody would read the results.
void set_limits(unsigned seconds);

// Closes every descriptor but standard output, standard error and `results`.
void close_descriptors(int results);

// The file system, TCP and other processes, for this thread and those it starts: call it before
// there are others. Nothing can be opened from here on. Returns Landlock's version, 0 without it.
int wall_off_files();

// For every thread: only what computing needs is left of the system's calls; descriptors other
// than the two that print can be written to by `own_write` alone. False where that is impossible.
bool wall_off_system();

// Calls that only the runner's own code may make.
long own_write(int descriptor, const void* bytes, std::size_t size);
void die_of(int signal);  // as if nobody had handled it

}  // namespace simt
