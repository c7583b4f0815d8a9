// SQLite believes what it reads: a byte that the disk has changed is a wrong number, a wrong name, or a page of another table.
// So each page ends with a checksum (XXH3 with 64 bits) over all before it, and over its own number: what was written to the
// wrong place is not taken for what belongs there.

#include "Checksum.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static XXH64_canonical_t checksum(const unsigned char *page, int size, long long number) {
    XXH64_canonical_t sum;
    XXH64_canonicalFromHash(&sum, XXH3_64bits_withSeed(page, (size_t)(size - CHECKSUM_BYTES), (XXH64_hash_t)number));
    return sum;
}

void hark_store_page_seal(unsigned char *page, int size, long long number) {
    if (size <= CHECKSUM_BYTES) return;
    const XXH64_canonical_t sum = checksum(page, size, number);
    memcpy(page + size - CHECKSUM_BYTES, &sum, CHECKSUM_BYTES);
}

int hark_store_page_is_whole(const unsigned char *page, int size, long long number) {
    if (size <= CHECKSUM_BYTES) return 0;
    const XXH64_canonical_t sum = checksum(page, size, number);
    return memcmp(page + size - CHECKSUM_BYTES, &sum, CHECKSUM_BYTES) == 0;
}
