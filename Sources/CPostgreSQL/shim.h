// libpq by way of dlopen: no `link` in the module map, so a program pays for it (and for the TLS, LDAP and Kerberos libraries
// behind it) only once it asks for it. What is used of it has been the same since PostgreSQL 9.6 and is declared here, so that no
// header of it is needed to build. Call the functions through `struct hark_pq`.
#ifndef HARK_CPOSTGRESQL_SHIM_H
#define HARK_CPOSTGRESQL_SHIM_H

#include <dlfcn.h>

typedef struct hark_pg_conn hark_pg_conn;
typedef struct hark_pg_result hark_pg_result;

// ConnStatusType, PostgresPollingStatusType and ExecStatusType, as far as they are looked at.
enum { HARK_PG_CONNECTION_OK = 0, HARK_PG_CONNECTION_BAD = 1 };
enum { HARK_PG_POLLING_FAILED = 0, HARK_PG_POLLING_READING = 1, HARK_PG_POLLING_WRITING = 2, HARK_PG_POLLING_OK = 3 };
enum {
    HARK_PG_EMPTY_QUERY = 0,
    HARK_PG_COMMAND_OK = 1,
    HARK_PG_TUPLES_OK = 2,
    HARK_PG_COPY_OUT = 3,
    HARK_PG_COPY_IN = 4,
};
// PQTRANS_IDLE; PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
enum { HARK_PG_TRANSACTION_IDLE = 0, HARK_PG_SQLSTATE = 'C', HARK_PG_MESSAGE = 'M' };

typedef void (*hark_pg_notice)(void *context, const char *text);

#define HARK_PQ_FUNCTIONS(F)                                                                                          \
    F(hark_pg_conn *, connectStartParams, (const char *const *keywords, const char *const *values, int expand))       \
    F(int, connectPoll, (hark_pg_conn *))                                                                             \
    F(int, status, (const hark_pg_conn *))                                                                            \
    F(int, transactionStatus, (const hark_pg_conn *))                                                                 \
    F(int, serverVersion, (const hark_pg_conn *))                                                                     \
    F(int, socket, (const hark_pg_conn *))                                                                            \
    F(char *, errorMessage, (const hark_pg_conn *))                                                                   \
    F(int, connectionNeedsPassword, (const hark_pg_conn *))                                                           \
    F(void, finish, (hark_pg_conn *))                                                                                 \
    F(int, setnonblocking, (hark_pg_conn *, int))                                                                     \
    F(hark_pg_notice, setNoticeProcessor, (hark_pg_conn *, hark_pg_notice, void *))                                   \
    F(int, sendQueryParams,                                                                                           \
        (hark_pg_conn *, const char *command, int count, const unsigned *types, const char *const *values,            \
            const int *lengths, const int *formats, int format))                                                     \
    F(int, sendQuery, (hark_pg_conn *, const char *command))                                                          \
    F(int, consumeInput, (hark_pg_conn *))                                                                            \
    F(int, isBusy, (hark_pg_conn *))                                                                                  \
    F(int, flush, (hark_pg_conn *))                                                                                   \
    F(hark_pg_result *, getResult, (hark_pg_conn *))                                                                  \
    F(int, putCopyData, (hark_pg_conn *, const char *buffer, int count))                                              \
    F(int, putCopyEnd, (hark_pg_conn *, const char *error))                                                           \
    F(int, resultStatus, (const hark_pg_result *))                                                                    \
    F(char *, resultErrorField, (const hark_pg_result *, int field))                                                  \
    F(int, ntuples, (const hark_pg_result *))                                                                         \
    F(int, nfields, (const hark_pg_result *))                                                                         \
    F(int, getisnull, (const hark_pg_result *, int row, int column))                                                  \
    F(char *, getvalue, (const hark_pg_result *, int row, int column))                                                \
    F(char *, cmdTuples, (hark_pg_result *))                                                                          \
    F(void, clear, (hark_pg_result *))

struct hark_pq {
#define HARK_PQ_FIELD(result, name, parameters) result(*name) parameters;
    HARK_PQ_FUNCTIONS(HARK_PQ_FIELD)
#undef HARK_PQ_FIELD
};

// Loads the library and finds its functions. Returns the loader's words if that fails, else a null pointer.
static inline const char *hark_pq_load(struct hark_pq *pq, const char *library) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return dlerror();
#define HARK_PQ_FIND(result, name, parameters) \
    if (!(pq->name = (__typeof__(pq->name))dlsym(handle, "PQ" #name))) return dlerror();
    HARK_PQ_FUNCTIONS(HARK_PQ_FIND)
#undef HARK_PQ_FIND
    return 0;
}

// Notices of the server are nobody's business; without this libpq writes them to standard error.
static void hark_pg_ignore(void *context, const char *text) {
    (void)context;
    (void)text;
}
static inline void hark_pg_be_silent(const struct hark_pq *pq, hark_pg_conn *connection) {
    pq->setNoticeProcessor(connection, hark_pg_ignore, 0);
}

#endif
