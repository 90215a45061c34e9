#pragma once

namespace simt {

// From here on the process can compute, read files and write to what is open already; it cannot
// create, change or remove files, start programs, use the network or signal other processes.
// Returns false where the system cannot promise that.
bool close_in();

// Bounds on processor time, memory, open files; no files written, no core dumps.
void set_limits(unsigned seconds);

}  // namespace simt
