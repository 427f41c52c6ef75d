/* A stand-in for libnvidia-ml.so.1, the driver library, with simulated machines.
 *
 * The variable VCOMPAT_STUB_NVML names the machine or the failure. Only functions that vcompat and vLLM call are
 * defined; others are missing, as in an old driver. Signatures and codes follow NVML's public header.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };
enum { P2P_OK = 0, P2P_NOT_SUPPORTED = 5, P2P_READ = 0, P2P_WRITE = 1, P2P_NVLINK = 2 };

typedef struct {
    char name[96];
    char uuid[96];
    int major, minor;
    unsigned long long memory;
    int mig;            /* -1: no MIG support, 0: off, 1: on */
    int instances;
    int is_instance;
    int number;
} Device;

typedef struct {
    const char *scenario, *name;
    int count, major, minor, memory_mib, mig, instances, nvlink;
} Machine;

static const Machine MACHINES[] = {
    {"8xV100", "Tesla V100-SXM2-32GB", 8, 7, 0, 32768, -1, 0, 1},
    {"1xV100", "Tesla V100-SXM2-32GB", 1, 7, 0, 32768, -1, 0, 0},
    {"2xT4", "Tesla T4", 2, 7, 5, 15360, -1, 0, 0},
    {"2xA100", "NVIDIA A100-SXM4-80GB", 2, 8, 0, 81920, 0, 0, 1},
    {"1xA100", "NVIDIA A100-SXM4-80GB", 1, 8, 0, 81920, 0, 0, 0},
    {"H200-mig", "NVIDIA H200", 1, 9, 0, 143771, 1, 3, 0},
    {"none", "", 0, 0, 0, 0, -1, 0, 0},
    {"8xH100", "NVIDIA H100 80GB HBM3", 8, 9, 0, 81559, 0, 0, 1},
    {"8xH100-ill", "NVIDIA H100 80GB HBM3", 8, 9, 0, 81559, 0, 0, 1},
    {"7xH100", "NVIDIA H100 80GB HBM3", 7, 9, 0, 81559, 0, 0, 1},
};

/* Scenarios in which a call fails: the code that nvmlInit returns. */
static const struct { const char *scenario; int code; } FAILURES[] = {
    {"no-permission", 4},   {"driver-not-loaded", 9},        {"irq", 11},
    {"operating-system", 17}, {"mismatch", 18},              {"unknown", 999},
    {"gpu-lost-at-init", 15}, {"gpu-not-found", 28},         {"memory", 20},
};

static Device devices[16];
static Device instances[16];
static int count, nvlink_present;

static const char *scenario(void) {
    const char *named = getenv("VCOMPAT_STUB_NVML");
    return named ? named : "none";
}

static void build(const Machine *machine, int first) {
    for (int i = 0; i < machine->count; i++) {
        Device *device = &devices[first + i];
        memset(device, 0, sizeof *device);
        snprintf(device->name, sizeof device->name, "%s", machine->name);
        snprintf(device->uuid, sizeof device->uuid, "GPU-%08x-0000-4000-8000-%012x", 0xa0000000u + first + i, first + i);
        device->major = machine->major;
        device->minor = machine->minor;
        device->memory = (unsigned long long)machine->memory_mib << 20;
        device->mig = machine->mig;
        device->instances = machine->instances;
        device->number = first + i;
    }
    nvlink_present = machine->nvlink;
    count = first + machine->count;
}

static int is(const char *name) { return strcmp(scenario(), name) == 0; }

int nvmlInitWithFlags(unsigned int flags) {
    (void)flags;
    if (is("hang")) for (;;) sleep(1000);
    if (is("abort")) abort();
    for (size_t i = 0; i < sizeof FAILURES / sizeof *FAILURES; i++)
        if (is(FAILURES[i].scenario)) return FAILURES[i].code;
    if (is("V100+A100")) {
        build(&MACHINES[1], 0);
        build(&MACHINES[4], 1);
        return OK;
    }
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++)
        if (is(MACHINES[i].scenario)) build(&MACHINES[i], 0);
    if (is("hang-later") || is("gpu-lost")) build(&MACHINES[3], 0);
    return OK;
}

int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) { return OK; }

const char *nvmlErrorString(int code) { return code == 999 ? "Unknown Error" : "an error of the stub"; }

static int text(const char *value, char *out, unsigned int length) {
    if (strlen(value) >= length) return INSUFFICIENT_SIZE;
    strcpy(out, value);
    return OK;
}

int nvmlSystemGetDriverVersion(char *out, unsigned int length) { return text("580.95.05", out, length); }
int nvmlSystemGetCudaDriverVersion(int *version) { *version = 13000; return OK; }
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13000; return OK; }

int nvmlDeviceGetCount_v2(unsigned int *found) { *found = count; return OK; }

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Device **device) {
    if ((int)index >= count) return INVALID_ARGUMENT;
    *device = &devices[index];
    return OK;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Device **device) {
    for (int i = 0; i < count; i++)
        if (strcmp(devices[i].uuid, uuid) == 0) { *device = &devices[i]; return OK; }
    return NOT_FOUND;
}

int nvmlDeviceGetIndex(Device *device, unsigned int *index) { *index = device->number; return OK; }

int nvmlDeviceGetCudaComputeCapability(Device *device, int *major, int *minor) {
    if (is("hang-later")) for (;;) sleep(1000);
    if (is("gpu-lost")) return 15;
    if (device->is_instance) return NOT_SUPPORTED;
    *major = device->major;
    *minor = device->minor;
    return OK;
}

int nvmlDeviceGetName(Device *device, char *out, unsigned int length) { return text(device->name, out, length); }
int nvmlDeviceGetUUID(Device *device, char *out, unsigned int length) { return text(device->uuid, out, length); }

/* In the scenario 8xH100-ill, GPU 3 has memory errors, GPU 5 is hot, and somebody uses GPU 6. */
static int ill(const Device *device, int number) { return is("8xH100-ill") && device->number == number; }

/* The MiB that are used of a GPU: a number per GPU in the file that VCOMPAT_STUB_NVML_USED names, read at each call. */
static unsigned long long used_mib(const Device *device) {
    const char *path = getenv("VCOMPAT_STUB_NVML_USED");
    FILE *file = path ? fopen(path, "r") : NULL;
    unsigned long long used = 0;
    if (file == NULL) return 0;
    for (int i = 0; i <= device->number; i++)
        if (fscanf(file, "%llu", &used) != 1) used = 0;
    fclose(file);
    return used;
}

int nvmlDeviceGetMemoryInfo(Device *device, unsigned long long *total_free_used) {
    unsigned long long used = (ill(device, 6) ? 40000ull : used_mib(device)) << 20;
    total_free_used[0] = device->memory;
    total_free_used[1] = device->memory - used;
    total_free_used[2] = used;
    return OK;
}

int nvmlDeviceGetEccMode(Device *device, int *current, int *pending) {
    if (device->major < 7 || device->is_instance) return NOT_SUPPORTED;
    *current = *pending = 1;
    return OK;
}

int nvmlDeviceGetTotalEccErrors(Device *device, int kind, int counter, unsigned long long *errors) {
    *errors = ill(device, 3) && kind == 1 ? (counter == 0 ? 2 : 9) : 0;
    return OK;
}

int nvmlDeviceGetRemappedRows(Device *device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed) {
    if (device->major < 8) return NOT_SUPPORTED;
    *corrected = *failed = 0;
    *uncorrected = *pending = ill(device, 3);
    return OK;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Device *device, unsigned long long *reasons) {
    *reasons = ill(device, 5) ? 0x44 : 0x4;
    return OK;
}

typedef struct {
    unsigned int pid;
    unsigned long long memory;
    unsigned int gpu_instance, compute_instance;
} Process;

int nvmlDeviceGetComputeRunningProcesses_v3(Device *device, unsigned int *number, Process *processes) {
    unsigned int size = *number;
    unsigned long long used = ill(device, 6) ? 39000ull : used_mib(device) / 2;
    *number = used > 0;
    if (size < *number) return INSUFFICIENT_SIZE;
    unsigned int pid = ill(device, 6) ? 4711 : (unsigned int)getpid();
    if (*number) processes[0] = (Process){pid, used << 20, 0xFFFFFFFF, 0xFFFFFFFF};
    return OK;
}

typedef struct {
    char busIdLegacy[16];
    unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
} Pci;

int nvmlDeviceGetPciInfo_v3(Device *device, Pci *pci) {
    if (device->is_instance) return NOT_SUPPORTED;
    memset(pci, 0, sizeof *pci);
    pci->bus = 0x10 + device->number;
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", pci->bus);
    snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", pci->bus);
    return OK;
}

int nvmlDeviceGetMigMode(Device *device, unsigned int *current, unsigned int *pending) {
    if (device->mig < 0 || device->is_instance) return NOT_SUPPORTED;
    *current = *pending = device->mig;
    return OK;
}

int nvmlDeviceGetMaxMigDeviceCount(Device *device, unsigned int *most) {
    *most = device->mig < 0 ? 0 : 7;
    return OK;
}

int nvmlDeviceGetMigDeviceHandleByIndex(Device *device, unsigned int index, Device **instance) {
    if ((int)index >= device->instances) return NOT_FOUND;
    Device *made = &instances[index];
    *made = *device;
    made->is_instance = 1;
    made->memory = 18000ull << 20;
    snprintf(made->name, sizeof made->name, "%.60s MIG 1g.18gb", device->name);
    snprintf(made->uuid, sizeof made->uuid, "MIG-%08x-0000-5000-8000-%012x", 0xb0000000u + index, index);
    *instance = made;
    return OK;
}

int nvmlDeviceGetP2PStatus(Device *one, Device *other, int what, int *status) {
    if (one == other) return INVALID_ARGUMENT;
    int alike = strcmp(one->name, other->name) == 0;
    if (what == P2P_NVLINK) *status = nvlink_present && alike ? P2P_OK : P2P_NOT_SUPPORTED;
    else *status = alike ? P2P_OK : P2P_NOT_SUPPORTED;
    return OK;
}
