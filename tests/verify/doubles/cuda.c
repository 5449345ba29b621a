/* Stands for NVIDIA's driver: one GPU whose memory is the machine's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 12040; return 0; }
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetName(char *name, int size, int device) { snprintf(name, size, "NVIDIA Double %d", device); return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = context; return device; }
int cuCtxSetCurrent(void *context) { return context == NULL; }
int cuMemAlloc_v2(void **pointer, size_t size) { *pointer = malloc(size); return *pointer == NULL; }
int cuMemsetD8_v2(void *pointer, unsigned char value, size_t size) { memset(pointer, value, size); return 0; }
int cuCtxSynchronize(void) { fprintf(stderr, "synchronized\n"); return 0; }
