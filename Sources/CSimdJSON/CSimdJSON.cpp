#include "CSimdJSON.h"

#include <new>
#include <simdjson.h>

static_assert(HARK_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads further than the callers allow for");

struct hark_json_parser {
    simdjson::dom::parser parser;
};

hark_json_parser *hark_json_parser_new(size_t capacity, size_t max_depth) {
    auto *parser = new (std::nothrow) hark_json_parser;
    if (parser == nullptr) {
        return nullptr;
    }
    if (parser->parser.allocate(capacity, max_depth) != simdjson::SUCCESS) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void hark_json_parser_free(hark_json_parser *parser) {
    delete parser;
}

hark_json_outcome hark_json_parse(hark_json_parser *parser, const uint8_t *text, size_t length,
                                  const uint64_t **tape, const uint8_t **strings) {
    constexpr bool copy_first = false;
    switch (parser->parser.parse(text, length, copy_first).error()) {
    case simdjson::SUCCESS:
        *tape = parser->parser.doc.tape.get();
        *strings = parser->parser.doc.string_buf.get();
        return HARK_JSON_OK;
    case simdjson::MEMALLOC:
        return HARK_JSON_NO_MEMORY;
    default:
        return HARK_JSON_REFUSED;
    }
}

bool hark_json_is_utf8(const uint8_t *text, size_t length) {
    return simdjson::validate_utf8(reinterpret_cast<const char *>(text), length);
}
