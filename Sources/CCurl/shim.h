// libcurl by way of dlopen: no `link` in the module map, so a program pays for libcurl (and the thirty libraries behind
// it) only once it asks for it. Call the functions through `struct hark_curl`; the header's own would not link.
#ifndef HARK_CCURL_SHIM_H
#define HARK_CCURL_SHIM_H

// The checking macros would hide the functions' types.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>

#define HARK_CURL_FUNCTIONS(F) \
    F(global_init)             \
    F(easy_init)               \
    F(easy_setopt)             \
    F(easy_getinfo)            \
    F(easy_nextheader)         \
    F(easy_strerror)           \
    F(easy_cleanup)            \
    F(slist_append)            \
    F(slist_free_all)          \
    F(multi_init)              \
    F(multi_setopt)            \
    F(multi_add_handle)        \
    F(multi_remove_handle)     \
    F(multi_socket_action)     \
    F(multi_info_read)         \
    F(multi_strerror)          \
    F(multi_cleanup)

// The functions, each with the type the header gives it.
struct hark_curl {
#define HARK_CURL_FIELD(name) __typeof__(curl_##name) *name;
    HARK_CURL_FUNCTIONS(HARK_CURL_FIELD)
#undef HARK_CURL_FIELD
};

// Loads the library and finds its functions. Returns the loader's words if that fails, else a null pointer.
static inline const char *hark_curl_load(struct hark_curl *curl, const char *library) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return dlerror();
#define HARK_CURL_FIND(name) \
    if (!(curl->name = (__typeof__(curl->name))dlsym(handle, "curl_" #name))) return dlerror();
    HARK_CURL_FUNCTIONS(HARK_CURL_FIND)
#undef HARK_CURL_FIND
    return 0;
}

// Swift calls no variadic functions: one function for each type of value.
static inline CURLcode hark_curl_set_long(const struct hark_curl *curl, CURL *easy, CURLoption option, long value) {
    return curl->easy_setopt(easy, option, value);
}
static inline CURLcode hark_curl_set_offset(
    const struct hark_curl *curl, CURL *easy, CURLoption option, curl_off_t value) {
    return curl->easy_setopt(easy, option, value);
}
static inline CURLcode hark_curl_set_text(
    const struct hark_curl *curl, CURL *easy, CURLoption option, const char *value) {
    return curl->easy_setopt(easy, option, value);
}
static inline CURLcode hark_curl_set_pointer(
    const struct hark_curl *curl, CURL *easy, CURLoption option, const void *value) {
    return curl->easy_setopt(easy, option, value);
}
static inline CURLcode hark_curl_set_writer(const struct hark_curl *curl, CURL *easy, curl_write_callback value) {
    return curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, value);
}
static inline CURLcode hark_curl_set_header_reader(const struct hark_curl *curl, CURL *easy, curl_write_callback value) {
    return curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, value);
}
static inline CURLcode hark_curl_get_long(const struct hark_curl *curl, CURL *easy, CURLINFO info, long *value) {
    return curl->easy_getinfo(easy, info, value);
}
static inline CURLcode hark_curl_get_text(const struct hark_curl *curl, CURL *easy, CURLINFO info, char **value) {
    return curl->easy_getinfo(easy, info, value);
}

static inline CURLMcode hark_curl_multi_set_long(
    const struct hark_curl *curl, CURLM *multi, CURLMoption option, long value) {
    return curl->multi_setopt(multi, option, value);
}
static inline CURLMcode hark_curl_multi_set_watcher(
    const struct hark_curl *curl, CURLM *multi, curl_socket_callback value, void *context) {
    CURLMcode code = curl->multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
    return code ? code : curl->multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}
static inline CURLMcode hark_curl_multi_set_timer(
    const struct hark_curl *curl, CURLM *multi, curl_multi_timer_callback value, void *context) {
    CURLMcode code = curl->multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
    return code ? code : curl->multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

#endif
