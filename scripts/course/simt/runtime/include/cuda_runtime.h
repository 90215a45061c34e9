// The CUDA runtime as the CPU check provides it. Every .cu file is compiled with this header
// included first; the names below are the ones nvcc gives a file without any include.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simt/abi.h"
#include "simt/device.h"
#include "simt/host.h"
#include "simt/keywords.h"
#include "simt/launch.h"
#include "simt/vectors.h"
