#ifndef HARK_CZLIB_SHIM_H
#define HARK_CZLIB_SHIM_H

#include <zlib.h>

// deflateInit2 is a macro. 31 window bits: 15, and 16 more for a gzip header and trailer.
static inline int hark_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
}

// The same of inflateInit2; other formats than gzip are refused.
static inline int hark_gunzip_init(z_stream *stream) { return inflateInit2(stream, 31); }

#endif
