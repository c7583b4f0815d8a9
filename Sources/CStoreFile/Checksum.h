// The checksum of a page in the file of the store. For this target alone.
#pragma once

#include <CStoreFile.h>

// It stands in the last bytes of the page, which SQLite leaves to us.
enum { CHECKSUM_BYTES = HARK_STORE_CHECKSUM_BYTES };
