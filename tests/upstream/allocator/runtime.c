/* A stand-in for libcudart.so.12, the CUDA runtime, over the stand-in for the driver: what vLLM's CudaRTLibrary loads.
 *
 * A copy from or to an address that is reserved and not mapped is refused.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OK = 0, INVALID_VALUE = 1 };

int stub_state(uintptr_t start, size_t size);

static int unmapped(const void *start, size_t size) { return stub_state((uintptr_t)start, size) < 0; }

int cudaMemcpy(void *to, const void *from, size_t size, int kind) {
    (void)kind;
    if (unmapped(to, size) || unmapped(from, size)) return INVALID_VALUE;
    memcpy(to, from, size);
    return OK;
}

int cudaMemset(void *start, int value, size_t size) {
    if (unmapped(start, size)) return INVALID_VALUE;
    memset(start, value, size);
    return OK;
}

const char *cudaGetErrorString(int code) { return code == INVALID_VALUE ? "invalid argument" : "no error"; }
int cudaSetDevice(int device) { (void)device; return OK; }
int cudaDeviceSynchronize(void) { return OK; }

/* vLLM looks these up, and the tests call none of them. */
int cudaDeviceReset(void) { return INVALID_VALUE; }
int cudaMalloc(void **start, size_t size) { (void)start; (void)size; return INVALID_VALUE; }
int cudaFree(void *start) { (void)start; return INVALID_VALUE; }
int cudaIpcGetMemHandle(void *handle, void *start) { (void)handle; (void)start; return INVALID_VALUE; }
int cudaIpcOpenMemHandle(void **start, void *handle, unsigned flags) { (void)start; (void)handle; (void)flags; return INVALID_VALUE; }
int cudaHostRegister(void *start, size_t size, unsigned flags) { (void)start; (void)size; (void)flags; return INVALID_VALUE; }
int cudaHostUnregister(void *start) { (void)start; return INVALID_VALUE; }
int cudaGetLastError(void) { return OK; }
