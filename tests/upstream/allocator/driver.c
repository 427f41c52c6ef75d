/* A stand-in for libcuda.so.1, the CUDA driver: one GPU whose memory is memory of the host.
 *
 * It defines the functions that vLLM's allocator for sleep mode calls. Signatures, codes and the rules of the virtual
 * memory functions follow the driver's public header and its documentation. Reserved addresses are addresses of this
 * process; memory that is not mapped cannot be touched (SIGSEGV here, an illegal address on a GPU). New memory contains
 * garbage. Each refused call is counted, and so are the bytes that are allocated.
 *
 * VCOMPAT_STUB_CUDA_MIB: the GPU's memory, 256 by default. VCOMPAT_STUB_CUDA_DRIVER: the CUDA version of the driver as
 * the header writes it (12020 for 12.2), which decides which attributes it knows.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2 };
enum { GRANULARITY = 2 << 20, GARBAGE = 0xC5, MOST = 4096 };
enum { RDMA_WITH_VMM = 110, FABRIC_HANDLES = 128, FABRIC_SINCE = 12030 };

typedef unsigned long long Handle;
typedef uintptr_t Address;
typedef struct { Address start; size_t size; } Reservation;
typedef struct { Address start; size_t size; int slot; } Mapping;
typedef struct { int file, held, maps; size_t size; } Memory;

static Reservation reserved[MOST];
static Mapping mapped[MOST];
static Memory memory[MOST];
static int reservations, mappings, memories, refused;
static size_t used;

static long setting(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

static size_t capacity(void) { return (size_t)setting("VCOMPAT_STUB_CUDA_MIB", 256) << 20; }

static int refuse(int code) {
    refused++;
    return code;
}

static int mapping_at(Address start, size_t size) {
    for (int i = 0; i < mappings; i++)
        if (mapped[i].start == start && mapped[i].size == size) return i;
    return -1;
}

static int overlaps(Address start, size_t size) {
    for (int i = 0; i < mappings; i++)
        if (start < mapped[i].start + mapped[i].size && mapped[i].start < start + size) return 1;
    return 0;
}

static int inside_reservation(Address start, size_t size) {
    for (int i = 0; i < reservations; i++)
        if (start >= reserved[i].start && start + size <= reserved[i].start + reserved[i].size) return 1;
    return 0;
}

static void drop_unused(Memory *one) {
    if (one->held || one->maps || one->file < 0) return;
    close(one->file);
    one->file = -1;
    used -= one->size;
}

/* Context, errors, attributes. */

int cuInit(unsigned flags) { (void)flags; return OK; }
int cuCtxGetCurrent(void **context) { *context = &used; return OK; }
int cuCtxSetCurrent(void *context) { (void)context; return OK; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = &used; return OK; }

int cuGetErrorString(int code, const char **text) {
    *text = code == INVALID_VALUE ? "invalid argument" : "out of memory";
    return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    if (attribute == FABRIC_HANDLES && setting("VCOMPAT_STUB_CUDA_DRIVER", 13000) < FABRIC_SINCE)
        return refuse(INVALID_VALUE);
    *value = attribute == RDMA_WITH_VMM;
    return OK;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
    *total = capacity();
    *free_bytes = used < *total ? *total - used : 0;
    return OK;
}

/* Addresses. */

int cuMemGetAllocationGranularity(size_t *granularity, const void *properties, int option) {
    (void)properties;
    (void)option;
    *granularity = GRANULARITY;
    return OK;
}

int cuMemAddressReserve(Address *start, size_t size, size_t alignment, Address wanted, unsigned long long flags) {
    (void)alignment;
    (void)wanted;
    (void)flags;
    if (!size || size % GRANULARITY || reservations == MOST) return refuse(INVALID_VALUE);
    void *found = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return refuse(OUT_OF_MEMORY);
    reserved[reservations++] = (Reservation){(Address)found, size};
    *start = (Address)found;
    return OK;
}

int cuMemAddressFree(Address start, size_t size) {
    for (int i = 0; i < reservations; i++) {
        if (reserved[i].start != start || reserved[i].size != size || overlaps(start, size)) continue;
        munmap((void *)start, size);
        reserved[i] = reserved[--reservations];
        return OK;
    }
    return refuse(INVALID_VALUE);
}

/* Memory. A handle is the number of a slot, from 1; slots are not used again. */

int cuMemCreate(Handle *handle, size_t size, const void *properties, unsigned long long flags) {
    (void)properties;
    (void)flags;
    if (!size || size % GRANULARITY || memories == MOST) return refuse(INVALID_VALUE);
    if (used + size > capacity()) return refuse(OUT_OF_MEMORY);
    int file = memfd_create("vcompat-stub", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size)) return refuse(OUT_OF_MEMORY);
    void *all = mmap(NULL, size, PROT_WRITE, MAP_SHARED, file, 0);
    if (all == MAP_FAILED) return refuse(OUT_OF_MEMORY);
    memset(all, GARBAGE, size);
    munmap(all, size);
    memory[memories++] = (Memory){file, 1, 0, size};
    *handle = (Handle)memories;
    used += size;
    return OK;
}

int cuMemRelease(Handle handle) {
    if (handle < 1 || handle > (Handle)memories || !memory[handle - 1].held) return refuse(INVALID_VALUE);
    memory[handle - 1].held = 0;
    drop_unused(&memory[handle - 1]);
    return OK;
}

int cuMemMap(Address start, size_t size, size_t offset, Handle handle, unsigned long long flags) {
    (void)flags;
    if (handle < 1 || handle > (Handle)memories || !memory[handle - 1].held || offset) return refuse(INVALID_VALUE);
    if (memory[handle - 1].size != size || !inside_reservation(start, size) || overlaps(start, size) || mappings == MOST)
        return refuse(INVALID_VALUE);
    if (mmap((void *)start, size, PROT_NONE, MAP_SHARED | MAP_FIXED, memory[handle - 1].file, 0) == MAP_FAILED)
        return refuse(OUT_OF_MEMORY);
    mapped[mappings++] = (Mapping){start, size, (int)handle - 1};
    memory[handle - 1].maps++;
    return OK;
}

int cuMemSetAccess(Address start, size_t size, const void *access, size_t count) {
    (void)access;
    (void)count;
    if (mapping_at(start, size) < 0) return refuse(INVALID_VALUE);
    return mprotect((void *)start, size, PROT_READ | PROT_WRITE) ? refuse(INVALID_VALUE) : OK;
}

int cuMemUnmap(Address start, size_t size) {
    int found = mapping_at(start, size);
    if (found < 0) return refuse(INVALID_VALUE);
    mmap((void *)start, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    Memory *one = &memory[mapped[found].slot];
    mapped[found] = mapped[--mappings];
    one->maps--;
    drop_unused(one);
    return OK;
}

/* What the tests and the stand-in of the runtime ask. */

size_t stub_used(void) { return used; }
int stub_refused(void) { return refused; }
int stub_reservations(void) { return reservations; }
int stub_mappings(void) { return mappings; }

/* Whether an address belongs to the GPU: 0 no, 1 mapped, -1 reserved and not mapped. */
int stub_state(Address start, size_t size) {
    if (!inside_reservation(start, size)) return 0;
    for (int i = 0; i < mappings; i++)
        if (start >= mapped[i].start && start + size <= mapped[i].start + mapped[i].size) return 1;
    return -1;
}
