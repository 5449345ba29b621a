/* Stands for cuDNN: prints what it is called with, and refuses, hangs and crashes as a test needs it. Ours, no cuDNN.
   The prototypes are those of cuDNN's public headers, an enumerator as int, a descriptor as pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION 90100
#endif
#define BAD_PARAM 2000
#define NOT_SUPPORTED 3000
#define NOT_INITIALIZED 1001

typedef struct { const char *name; int attributes; } Made;
typedef void (*Told)(int severity, void *data, const void *about, const char *message);
typedef const Made *P;

static Told told;
static const char *last = "";

static int refuse(int status, const char *reason) {
    char text[400];
    int at = sprintf(text, "CuDNN (v%d) function called:", VERSION) + 1;
    at += sprintf(text + at, "    Error: status %d; Reason: %s", status, reason) + 1;
    at += sprintf(text + at, "    Error: status %d; Reason: outer", status) + 1;
    text[at] = 0;
    last = reason;
    if (told) told(1, NULL, NULL, text);
    return status;
}
static void list(const char *what, int count, const int *values) {
    fprintf(stderr, " %s", what);
    for (int i = 0; i < count; i++) fprintf(stderr, "%s%d", i ? "," : "=", values[i]);
}
static int ended(void) { fprintf(stderr, "\n"); fflush(stderr); return 0; }
#define SAY(...) fprintf(stderr, __VA_ARGS__)

size_t cudnnGetVersion(void) { return VERSION; }
const char *cudnnGetErrorString(int s) {
    return s == BAD_PARAM ? "CUDNN_STATUS_BAD_PARAM" : s == NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
         : s == NOT_INITIALIZED ? "CUDNN_STATUS_NOT_INITIALIZED" : "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED";
}
#ifndef SILENT
int cudnnSetCallback(unsigned mask, void *data, Told heard) { SAY("mask %u\n", mask); told = heard; return 0; }
#endif
void cudnnGetLastErrorString(char *text, size_t size) { snprintf(text, size, "%s", last); }

#define MAKE(X) int cudnnCreate##X##Descriptor(Made **made) { \
    *made = malloc(sizeof(Made)); (*made)->name = #X; return 0; }
MAKE(Tensor) MAKE(Filter) MAKE(Convolution) MAKE(Pooling) MAKE(LRN) MAKE(RNN) MAKE(RNNData) MAKE(Dropout) MAKE(CTCLoss)

int cudnnSetTensor4dDescriptor(P d, int format, int type, int n, int c, int h, int w) {
    SAY("%s format %d type %d %d,%d,%d,%d", d->name, format, type, n, c, h, w); ended();
    return n <= 0 ? refuse(BAD_PARAM, "n <= 0") : type == 10 ? BAD_PARAM : 0;
}
int cudnnSetTensorNdDescriptorEx(P d, int format, int type, int count, const int *extents) {
    SAY("%s format %d type %d", d->name, format, type); list("nd", count, extents); return ended();
}
int cudnnSetFilter4dDescriptor(P d, int type, int format, int k, int c, int h, int w) {
    SAY("%s type %d format %d %d,%d,%d,%d", d->name, type, format, k, c, h, w); return ended();
}
int cudnnSetFilterNdDescriptor(P d, int type, int format, int count, const int *extents) {
    SAY("%s type %d format %d", d->name, type, format); list("nd", count, extents); return ended();
}
int cudnnSetConvolution2dDescriptor(P d, int ph, int pw, int u, int v, int dh, int dw, int mode, int type) {
    SAY("%s pad %d,%d stride %d,%d dilation %d,%d mode %d type %d", d->name, ph, pw, u, v, dh, dw, mode, type); ended();
    return u <= 0 ? refuse(BAD_PARAM, "u <= 0") : 0;
}
int cudnnSetConvolutionNdDescriptor(P d, int count, const int *pad, const int *stride, const int *dilation, int mode,
                                    int type) {
    SAY("%s", d->name); list("pad", count, pad); list("stride", count, stride); list("dilation", count, dilation);
    SAY(" mode %d type %d", mode, type); return ended();
}
int cudnnSetConvolutionGroupCount(P d, int groups) { SAY("%s groups %d", d->name, groups); return ended(); }
int cudnnGetConvolution2dForwardOutputDim(P conv, P x, P w, int *n, int *c, int *h, int *wide) {
    SAY("extents of %s %s %s", conv->name, x->name, w->name); *n = 1; *c = 2; *h = 3; *wide = 4; return ended();
}
int cudnnGetConvolutionNdForwardOutputDim(P conv, P x, P w, int count, int *out) {
    SAY("extents of %s %s %s %d", conv->name, x->name, w->name, count); out[count - 1] = 5; return ended();
}
int cudnnSetPooling2dDescriptor(P d, int mode, int nan, int h, int w, int vp, int hp, int vs, int hs) {
    SAY("%s mode %d nan %d window %d,%d pad %d,%d stride %d,%d", d->name, mode, nan, h, w, vp, hp, vs, hs);
    return ended();
}
int cudnnSetPoolingNdDescriptor(P d, int mode, int nan, int count, const int *window, const int *pad, const int *stride) {
    SAY("%s mode %d nan %d", d->name, mode, nan); list("window", count, window); list("pad", count, pad);
    list("stride", count, stride); return ended();
}
int cudnnGetPooling2dForwardOutputDim(P pool, P x, int *n, int *c, int *h, int *w) {
    SAY("extents of %s %s", pool->name, x->name); *n = *c = *h = *w = 1; ended(); return BAD_PARAM;
}
int cudnnGetPoolingNdForwardOutputDim(P pool, P x, int count, int *out) {
    SAY("extents of %s %s %d", pool->name, x->name, count); out[0] = 1; return ended();
}
int cudnnSetLRNDescriptor(P d, unsigned n, double alpha, double beta, double k) {
    SAY("%s n %u alpha %g beta %g k %g", d->name, n, alpha, beta, k); ended();
    if (n == 41) *(volatile int *)0 = 1;
    while (n == 43) sleep(1);
    return n == 45 ? 1008 : n > 16 ? refuse(BAD_PARAM, "n > 16") : 0;
}
int cudnnDeriveBNTensorDescriptor(P derived, P x, int mode) {
    SAY("derived %s of %s mode %d", derived->name, x->name, mode); return ended();
}
int cudnnSetRNNDescriptor_v8(P d, int algo, int cell, int bias, int direction, int input, int type, int math,
                             int math_type, int features, int hidden, int projected, int layers, P dropout,
                             unsigned flags) {
    SAY("%s algo %d cell %d bias %d direction %d input %d type %d math %d %d features %d hidden %d projected %d "
        "layers %d dropout %d flags %u", d->name, algo, cell, bias, direction, input, type, math, math_type, features,
        hidden, projected, layers, dropout != NULL, flags); return ended();
}
int cudnnSetRNNDataDescriptor(P d, int type, int layout, int steps, int rows, int features, const int *lengths,
                              void *fill) {
    SAY("%s type %d layout %d %d,%d,%d", d->name, type, layout, steps, rows, features); list("lengths", rows, lengths);
    SAY(" fill %d", fill != NULL); ended();
    return steps > 65535 ? refuse(NOT_SUPPORTED, "maxSeqLength > 65535") : rows <= 0 ? refuse(BAD_PARAM, "rows") : 0;
}
int cudnnSetCTCLossDescriptor_v9(P d, int type, int norm, int gradients, int longest) {
    SAY("%s type %d norm %d gradients %d longest %d", d->name, type, norm, gradients, longest); return ended();
}

int cudnnBackendCreateDescriptor(int kind, Made **made) {
    *made = malloc(sizeof(Made));
    (*made)->name = kind == 17 ? "tensor" : kind == 10 ? "operation" : kind == 1 ? "convolution" : "?";
    (*made)->attributes = 0;
    return 0;
}
int cudnnBackendSetAttribute(Made *d, int name, int type, long long count, const void *values) {
    SAY("%s %d", d->name, name); d->attributes++;
    for (int i = 0; i < count; i++) switch (type) {
        case 1: case 7: SAY(" int %d", ((const int *)values)[i]); break;
        case 3: SAY(" %lld", ((const long long *)values)[i]); break;
        case 4: SAY(" float %g", ((const float *)values)[i]); break;
        case 15: SAY(" %s", ((const Made *const *)values)[i]->name); break;
        default: SAY(" type %d", type);
    }
    return ended();
}
int cudnnBackendFinalize(Made *d) {
    SAY("%s done with %d", d->name, d->attributes); ended();
    return d->name[0] == 'o' ? refuse(BAD_PARAM, "0 != wDimA[0] % g") : 0;
}

int cudnnCreate(P *handle) {
    static const Made here = {"handle", 0};
    *handle = &here;
    return getenv("CUDA_HOME") ? 0 : refuse(NOT_INITIALIZED, "no device");
}
int cudnnDropoutGetStatesSize(P handle, size_t *size) { SAY("size for %s\n", handle->name); *size = 1 << 20; return 0; }
int cudnnSetDropoutDescriptor(P d, P handle, float rate, void *states, size_t size, unsigned long long seed) {
    SAY("%s %s rate %g states %d size %zu seed %llu", d->name, handle->name, rate, states != NULL, size, seed);
    return ended();
}
int cudnnGetCTCLossWorkspaceSize_v8(P handle, int algo, P loss, P probs, P gradients, size_t *size) {
    SAY("workspace %s %d %s %s %s", handle->name, algo, loss->name, probs->name, gradients->name); *size = 8;
    return ended();
}
int cudnnBatchNormalizationForwardTraining(P handle, int mode, const void *alpha, const void *beta, P x, const void *xs,
                                           P y, void *ys, P norm, const void *scale, const void *bias, double factor,
                                           void *mean, void *variance, double epsilon, void *saved, void *inverse) {
    SAY("training %s mode %d %g %g %s %s %s factor %g epsilon %g scale %g", handle->name, mode, *(const float *)alpha,
        *(const float *)beta, x->name, y->name, norm->name, factor, epsilon, *(const float *)scale);
    SAY(" %d", xs && ys && bias && mean && variance && saved && inverse); ended();
    return epsilon < 0 ? refuse(BAD_PARAM, "epsilon < 0.0") : 0;
}
int cudnnBatchNormalizationForwardInference(P handle, int mode, const void *alpha, const void *beta, P x, const void *xs,
                                            P y, void *ys, P norm, const void *scale, const void *bias,
                                            const void *mean, const void *variance, double epsilon) {
    SAY("inference %s mode %d %g %g %s %s %s epsilon %g %d", handle->name, mode, *(const float *)alpha,
        *(const float *)beta, x->name, y->name, norm->name, epsilon, xs && ys && scale && bias && mean && variance);
    return ended();
}
