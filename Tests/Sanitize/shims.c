// Calls what the C headers between Swift and the system's libraries do themselves, as Swift does.
#include "../../Sources/CCurl/shim.h"
#include "../../Sources/CLinux/shim.h"
#include "../../Sources/CMosquitto/shim.h"
#include "../../Sources/CSQLite/shim.h"
#include "../../Sources/CSystemd/shim.h"
#include "../../Sources/CZlib/shim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void spawns(void) {
    int streams[3] = {open("/dev/null", O_RDWR), 1, 2};
    char *there[] = {"sh", "-c", "exit 7", 0}, *missing[] = {"/there/is/no/such/program", 0};
    pid_t child = 0;
    assert(hark_spawn(&child, streams, there, hark_environment()) == 0);
    siginfo_t info;
    assert(waitid(P_PID, child, &info, WEXITED) == 0 && hark_child_status(&info) == 7);
    assert(hark_spawn(&child, streams, missing, hark_environment()) == ENOENT);
    close(streams[0]);
}

static void compresses(unsigned seed) {
    for (unsigned round = 0; round < 200; round++) {
        size_t size = rand_r(&seed) % 70000;
        unsigned char *text = malloc(size + 1), *again = malloc(size + 1);
        for (size_t at = 0; at < size; at++) text[at] = (round % 2 ? rand_r(&seed) : (int)(at / 7)) & 0xff;
        z_stream stream = {0};
        assert(hark_gzip_init(&stream, round % 10) == Z_OK);
        size_t room = deflateBound(&stream, size);
        unsigned char *packed = malloc(room);
        stream.next_in = text, stream.avail_in = size, stream.next_out = packed, stream.avail_out = room;
        assert(deflate(&stream, Z_FINISH) == Z_STREAM_END);
        size_t length = stream.total_out;
        deflateEnd(&stream);
        z_stream back = {.next_in = packed, .avail_in = length, .next_out = again, .avail_out = size + 1};
        assert(inflateInit2(&back, 31) == Z_OK && inflate(&back, Z_FINISH) == Z_STREAM_END);
        assert(back.total_out == size && memcmp(text, again, size) == 0);
        inflateEnd(&back);
        free(text), free(again), free(packed);
    }
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static void asks(void) {
    struct hark_curl curl;
    assert(hark_curl_load(&curl, "no-such-library.so") != 0);
    assert(hark_curl_load(&curl, "libcurl.so.4") == 0);
    assert(curl.global_init(CURL_GLOBAL_DEFAULT) == 0);
    CURL *easy = curl.easy_init();
    long status = -1;
    char *url = 0;
    assert(hark_curl_set_text(&curl, easy, CURLOPT_URL, "http://127.0.0.1:1/") == 0);
    assert(hark_curl_set_long(&curl, easy, CURLOPT_NOSIGNAL, 1) == 0);
    assert(hark_curl_set_offset(&curl, easy, CURLOPT_MAXFILESIZE_LARGE, 1 << 20) == 0);
    assert(hark_curl_set_pointer(&curl, easy, CURLOPT_WRITEDATA, &status) == 0);
    assert(hark_curl_set_writer(&curl, easy, take) == 0);
    assert(hark_curl_get_long(&curl, easy, CURLINFO_RESPONSE_CODE, &status) == 0 && status == 0);
    assert(hark_curl_get_text(&curl, easy, CURLINFO_EFFECTIVE_URL, &url) == 0 && url);
    CURLM *multi = curl.multi_init();
    assert(hark_curl_multi_set_long(&curl, multi, CURLMOPT_MAXCONNECTS, 2) == 0);
    assert(hark_curl_multi_set_watcher(&curl, multi, 0, 0) == 0 && hark_curl_multi_set_timer(&curl, multi, 0, 0) == 0);
    assert(curl.multi_cleanup(multi) == 0);
    curl.easy_cleanup(easy);
}

static void connects(void) {
    struct hark_mosquitto mosquitto;
    assert(hark_mosquitto_load(&mosquitto, "no-such-library.so") != 0);
    assert(hark_mosquitto_load(&mosquitto, "libmosquitto.so.1") == 0 && mosquitto.lib_init() == MOSQ_ERR_SUCCESS);
    struct mosquitto *client = mosquitto.new("sanitized", true, 0);
    int error = -1, number = 0;
    assert(hark_mosquitto_connect(&mosquitto, client, "127.0.0.1", 1, 60, 0, &error) != MOSQ_ERR_SUCCESS && error);
    assert(hark_mosquitto_read(&mosquitto, client, &error) == MOSQ_ERR_NO_CONN && !error);
    assert(hark_mosquitto_write(&mosquitto, client, &error) == MOSQ_ERR_NO_CONN);
    assert(hark_mosquitto_publish(&mosquitto, client, &number, "a/#", 0, 0, 0, false, &error) == MOSQ_ERR_INVAL);
    assert(hark_mosquitto_no_password(0, 0, 0, 0) == 0);
    hark_mosquitto_pause();
    assert(errno == EAGAIN);
    mosquitto.destroy(client);
    assert(hark_tcp_bytes_read(0) == -1);
}

int main(void) {
    assert(hark_sqlite_allocate_no_pages_ahead() == SQLITE_OK);
    spawns();
    compresses(1);
    asks();
    connects();
    int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    assert(netlink >= 0 && hark_netlink_ignore_lesser_routes(netlink) == 0);
    close(netlink);
    signal(SIGUSR1, SIG_IGN);
    assert(hark_is_ignored(SIGUSR1) && !hark_is_ignored(SIGUSR2));
    assert(hark_name_thread("sanitized") == 0 && hark_edge_triggered_read() & EPOLLIN);
    int synchronized = hark_clock_is_synchronized();
    assert(synchronized == 0 || synchronized == 1);
    hark_getopt_begin();
    char *arguments[] = {"x", "-a", "value", "-?", 0};
    assert(getopt(4, arguments, "a:") == 'a' && !strcmp(hark_getopt_value(), "value"));
    assert(getopt(4, arguments, "a:") == '?' && hark_getopt_unknown() == '?' && hark_getopt_index() == 4);
    puts("C headers: fine");
}
