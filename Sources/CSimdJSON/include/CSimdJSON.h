/// simdjson's DOM parser behind C. No exception crosses this border.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes behind a text that must be readable; their content does not matter.
enum { HARK_JSON_PADDING = 64 };

/// What became of a text.
typedef enum __attribute__((enum_extensibility(closed))) hark_json_outcome : int {
    HARK_JSON_OK,
    /// Not a JSON text, or one with numbers or nesting beyond the parser. simdjson does not tell where.
    HARK_JSON_REFUSED,
    HARK_JSON_NO_MEMORY,
} hark_json_outcome;

/// A parser and the one document it holds.
typedef struct hark_json_parser hark_json_parser;

/// Makes a parser for texts up to `capacity` bytes (longer ones make it grow) nested up to `max_depth` levels.
/// NULL if there is no memory.
hark_json_parser *hark_json_parser_new(size_t capacity, size_t max_depth);

void hark_json_parser_free(hark_json_parser *parser);

/// Parses one JSON text, which must have HARK_JSON_PADDING readable bytes behind it.
///
/// On success `tape` and `strings` point at simdjson's tape (its doc/tape.md) and string buffer. They belong to the
/// parser and are good until it parses again or is freed. The tape's first word is the root; the document is word 1.
hark_json_outcome hark_json_parse(hark_json_parser *parser, const uint8_t *text, size_t length,
                                  const uint64_t **tape, const uint8_t **strings);

/// Whether a text is UTF-8.
bool hark_json_is_utf8(const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif
