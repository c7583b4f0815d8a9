// libmosquitto by way of dlopen: no `link` in the module map, so a program pays for it (and for the TLS library behind it)
// only once it asks for it. Call the functions through `struct hark_mosquitto`; the header's own would not link.
#ifndef HARK_CMOSQUITTO_SHIM_H
#define HARK_CMOSQUITTO_SHIM_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>

#define HARK_MOSQUITTO_FUNCTIONS(F) \
    F(lib_init)                     \
    F(new)                          \
    F(destroy)                      \
    F(int_option)                   \
    F(username_pw_set)              \
    F(will_set)                     \
    F(tls_set)                      \
    F(connect_bind_v5)              \
    F(connect_bind_async)           \
    F(disconnect)                   \
    F(publish)                      \
    F(subscribe_multiple)           \
    F(loop_read)                    \
    F(loop_write)                   \
    F(loop_misc)                    \
    F(socket)                       \
    F(want_write)                   \
    F(ssl_get)                      \
    F(connect_v5_callback_set)      \
    F(disconnect_v5_callback_set)   \
    F(publish_v5_callback_set)      \
    F(subscribe_v5_callback_set)    \
    F(message_callback_set)         \
    F(log_callback_set)             \
    F(strerror)                     \
    F(connack_string)               \
    F(reason_string)                \
    F(property_add_int32)           \
    F(property_read_byte)           \
    F(property_read_int16)          \
    F(property_read_int32)          \
    F(property_read_string)         \
    F(property_free_all)

// The functions, each with the type the header gives it, and those of OpenSSL that it takes to drive it: its header is not
// needed for these few.
struct hark_mosquitto {
#define HARK_MOSQUITTO_FIELD(name) __typeof__(mosquitto_##name) *name;
    HARK_MOSQUITTO_FUNCTIONS(HARK_MOSQUITTO_FIELD)
#undef HARK_MOSQUITTO_FIELD
    int (*is_handshake_done)(const void *ssl);
    int (*pending)(const void *ssl);
    long (*verify_result)(const void *ssl);
    const char *(*verify_text)(long result);
    int (*peek)(void *ssl, void *buffer, int size);
    unsigned long (*take_error)(void);
    void (*clear_errors)(void);
};

// Loads the library and finds its functions. Returns the loader's words if that fails, else a null pointer.
static inline const char *hark_mosquitto_load(struct hark_mosquitto *mosquitto, const char *library) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return dlerror();
#define HARK_MOSQUITTO_FIND(field, name) \
    if (!(mosquitto->field = (__typeof__(mosquitto->field))dlsym(handle, name))) return dlerror();
#define HARK_MOSQUITTO_FIND_OWN(name) HARK_MOSQUITTO_FIND(name, "mosquitto_" #name)
    HARK_MOSQUITTO_FUNCTIONS(HARK_MOSQUITTO_FIND_OWN)
#undef HARK_MOSQUITTO_FIND_OWN
    // Looked for in the libraries behind this one: in just the libssl that it uses.
    HARK_MOSQUITTO_FIND(is_handshake_done, "SSL_is_init_finished")
    HARK_MOSQUITTO_FIND(pending, "SSL_pending")
    HARK_MOSQUITTO_FIND(verify_result, "SSL_get_verify_result")
    HARK_MOSQUITTO_FIND(verify_text, "X509_verify_cert_error_string")
    HARK_MOSQUITTO_FIND(peek, "SSL_peek")
    HARK_MOSQUITTO_FIND(take_error, "ERR_get_error")
    HARK_MOSQUITTO_FIND(clear_errors, "ERR_clear_error")
#undef HARK_MOSQUITTO_FIND
    return 0;
}

// The library tells with errno what its results leave open, and goes by what it was before: both have to be done in one go.

// Looks the host up, begins to connect to it, and leaves in *error what errno is (of getaddrinfo for MOSQ_ERR_EAI). Blocks
// while it looks the host up.
static inline int hark_mosquitto_connect(const struct hark_mosquitto *mosquitto, struct mosquitto *client, const char *host,
    int port, int keep_alive, const char *from, int *error) {
    errno = 0;
    int code = mosquitto->connect_bind_async(client, host, port, keep_alive, from);
    *error = errno;
    int fd = mosquitto->socket(client);
    if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return code;
}

// *error is EAGAIN when there was nothing more to read, or after hark_mosquitto_pause.
static inline int hark_mosquitto_read(const struct hark_mosquitto *mosquitto, struct mosquitto *client, int *error) {
    errno = 0;
    int code = mosquitto->loop_read(client, 1);
    *error = errno;
    return code;
}

static inline int hark_mosquitto_write(const struct hark_mosquitto *mosquitto, struct mosquitto *client, int *error) {
    errno = 0;
    int code = mosquitto->loop_write(client, 1);
    *error = errno;
    return code;
}

static inline int hark_mosquitto_publish(const struct hark_mosquitto *mosquitto, struct mosquitto *client, int *number,
    const char *topic, int length, const void *payload, int qos, bool retain, int *error) {
    errno = 0;
    int code = mosquitto->publish(client, number, topic, length, payload, qos, retain);
    *error = errno;
    return code;
}

// Called last in a callback: has the library return from reading, where it would go on as long as more comes.
static inline void hark_mosquitto_pause(void) { errno = EAGAIN; }

// For keys with a password: there is nobody to ask for it, and OpenSSL would ask on the terminal.
static inline int hark_mosquitto_no_password(char *buffer, int size, int for_writing, void *context) {
    (void)buffer, (void)size, (void)for_writing, (void)context;
    return 0;
}

#endif
