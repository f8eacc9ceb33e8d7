/* The API from C, by the header that is installed with the package. */

#include "fastauc.h"

static fastauc_api_t api;

/* area(labels, scores): two bytes-like objects, of 0 and 1 and of doubles. */
static PyObject *area(PyObject *self, PyObject *arguments)
{
    Py_buffer labels, scores;
    PyObject *result = NULL;
    size_t n_scratch;
    void *scratch;
    double value = 0.0;
    int status;

    (void) self;
    if (!PyArg_ParseTuple(arguments, "y*y*", &labels, &scores))
        return NULL;
    n_scratch = api.scratch_size(labels.len, sizeof(double), 0);
    scratch = PyMem_Malloc(n_scratch);
    if (scratch == NULL) {
        PyErr_NoMemory();
    } else if (scores.len != labels.len * (Py_ssize_t) sizeof(double)) {
        PyErr_SetString(PyExc_ValueError, "expected one score for each label");
    } else {
        Py_BEGIN_ALLOW_THREADS
        status = api.roc_auc_float64(
            labels.buf, scores.buf, labels.len, scratch, n_scratch, &value);
        Py_END_ALLOW_THREADS
        result = Py_BuildValue("id", status, value);
    }
    PyMem_Free(scratch);
    PyBuffer_Release(&labels);
    PyBuffer_Release(&scores);
    return result;
}

static PyMethodDef methods[] = {{"area", area, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "from_c", .m_methods = methods};

PyMODINIT_FUNC PyInit_from_c(void)
{
    PyObject *self = fastauc_import(&api) < 0 ? NULL : PyModule_Create(&module);

#ifdef Py_GIL_DISABLED
    if (self != NULL)
        PyUnstable_Module_SetGIL(self, Py_MOD_GIL_NOT_USED);
#endif
    return self;
}
