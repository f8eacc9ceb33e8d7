/* The C-level API for code without Cython; see _capi.pxd in this folder for what each function does.

       fastauc_api_t api;

       if (fastauc_import(&api) < 0)      with the GIL, for example when a module is loaded
           return NULL;
       status = api.roc_auc_float64(y_true, y_score, n, scratch, n_scratch, &area);      without it

   This file is in os.path.dirname(fastauc.__file__). */

#ifndef FASTAUC_H
#define FASTAUC_H

#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    FASTAUC_API_VERSION = 1,
    FASTAUC_OK = 0,
    FASTAUC_ONE_CLASS = 1,
    FASTAUC_NO_ROWS = -1,
    FASTAUC_TOO_MANY_ROWS = -2,
    FASTAUC_BAD_SCRATCH = -3,
    FASTAUC_BAD_LABEL = -4,
    FASTAUC_BAD_SCORE = -5,
    FASTAUC_BAD_WEIGHT = -6
};

typedef struct {
    int (*api_version)(void);
    size_t (*scratch_size)(int64_t n, size_t score_size, int weighted);
    int (*concordance_float32)(
        const uint8_t *y_true, const float *y_score, int64_t n, void *scratch, size_t n_scratch,
        uint64_t *counts);
    int (*concordance_float64)(
        const uint8_t *y_true, const double *y_score, int64_t n, void *scratch, size_t n_scratch,
        uint64_t *counts);
    int (*roc_auc_float32)(
        const uint8_t *y_true, const float *y_score, int64_t n, void *scratch, size_t n_scratch,
        double *area);
    int (*roc_auc_float64)(
        const uint8_t *y_true, const double *y_score, int64_t n, void *scratch, size_t n_scratch,
        double *area);
    int (*weighted_roc_auc_float32)(
        const uint8_t *y_true, const float *y_score, const double *sample_weight, int64_t n,
        void *scratch, size_t n_scratch, double *area);
    int (*weighted_roc_auc_float64)(
        const uint8_t *y_true, const double *y_score, const double *sample_weight, int64_t n,
        void *scratch, size_t n_scratch, double *area);
} fastauc_api_t;

/* The end of every signature. */
#define FASTAUC_SCRATCH_(type) "int64_t, void *, size_t, " type " *)"

#define FASTAUC_FUNCTION_(name, signature) {#name, signature, offsetof(fastauc_api_t, name)}

/* Fill the table; returns 0, or -1 with an exception set if the package is not installed, or if its
   version of this API lacks a function. */
static int fastauc_import(fastauc_api_t *api)
{
    static const struct {
        const char *name, *signature;
        size_t place;
    } functions[] = {
        FASTAUC_FUNCTION_(api_version, "int (void)"),
        FASTAUC_FUNCTION_(scratch_size, "size_t (int64_t, size_t, int)"),
        FASTAUC_FUNCTION_(
            concordance_float32,
            "int (uint8_t const *, float const *, " FASTAUC_SCRATCH_("uint64_t")),
        FASTAUC_FUNCTION_(
            concordance_float64,
            "int (uint8_t const *, double const *, " FASTAUC_SCRATCH_("uint64_t")),
        FASTAUC_FUNCTION_(
            roc_auc_float32, "int (uint8_t const *, float const *, " FASTAUC_SCRATCH_("double")),
        FASTAUC_FUNCTION_(
            roc_auc_float64, "int (uint8_t const *, double const *, " FASTAUC_SCRATCH_("double")),
        FASTAUC_FUNCTION_(
            weighted_roc_auc_float32,
            "int (uint8_t const *, float const *, double const *, " FASTAUC_SCRATCH_("double")),
        FASTAUC_FUNCTION_(
            weighted_roc_auc_float64,
            "int (uint8_t const *, double const *, double const *, " FASTAUC_SCRATCH_("double")),
    };
    PyObject *module = PyImport_ImportModule("fastauc._capi");
    PyObject *capsules = module == NULL ? NULL : PyObject_GetAttrString(module, "__pyx_capi__");
    size_t i, n = sizeof(functions) / sizeof(functions[0]);
    for (i = 0; i < n && capsules != NULL; i++) {
        PyObject *capsule = PyMapping_GetItemString(capsules, functions[i].name);
        void *pointer =
            capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, functions[i].signature);
        Py_XDECREF(capsule);
        if (pointer == NULL)
            break;
        /* ISO C cannot convert a data pointer to a function pointer. */
        memcpy((char *) api + functions[i].place, &pointer, sizeof(pointer));
    }
    Py_XDECREF(capsules);
    Py_XDECREF(module);
    return capsules != NULL && i == n ? 0 : -1;
}

#endif
