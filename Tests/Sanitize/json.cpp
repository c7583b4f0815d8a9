// Feeds the JSON shim whole and damaged lines, each in a buffer of just the size that is promised, and reads all of what it
// points to: `json SEED LINES < lines`. AddressSanitizer and UBSan end it at the first read or write beside a buffer.
#include <CSimdJSON.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

using Random = std::mt19937_64;

static std::string damaged(std::string line, const std::vector<std::string> &lines, Random &random) {
    static const std::vector<std::string> pieces = {
        "\"", "\\", "\\u", "\\ud800", "{", "}", "[", "]", ":", ",", "-", "1e999", "9223372036854775808", "0.1e-400",
        "\xff", "\xe2\x82", "\xf0\x9f\x98\x80", std::string(1, '\0'), "true", "nul", " ", "\t", std::string(70, '['),
    };
    for (int times = random() % 6; times > 0; times--) {
        size_t at = line.empty() ? 0 : random() % line.size(), count = random() % 9;
        switch (random() % 6) {
        case 0: line.resize(at); break;
        case 1: line.erase(at, count); break;
        case 2: line.insert(at, pieces[random() % pieces.size()]); break;
        case 3: if (!line.empty()) line[at] ^= 1 << random() % 8; break;
        case 4: line.insert(at, line.substr(random() % (at + 1), 100)); break;
        case 5: line = line.substr(0, at) + lines[random() % lines.size()].substr(0, 300); break;
        }
    }
    return line;
}

// Reads every word of the tape and every byte of the strings; the sum keeps the compiler from leaving it out.
static uint64_t read(const uint64_t *tape, const uint8_t *strings) {
    constexpr uint64_t payload = (uint64_t(1) << 56) - 1;
    uint64_t sum = 0, end = tape[0] & payload;
    for (uint64_t at = 1; at < end; at++) {
        sum += tape[at];
        switch (tape[at] >> 56) {
        case 'l': case 'u': case 'd': sum += tape[++at]; break;
        case '"': {
            const uint8_t *text = strings + (tape[at] & payload);
            uint32_t length;
            memcpy(&length, text, sizeof length);
            for (uint32_t byte = 0; byte <= length; byte++) sum += text[sizeof length + byte];
            break;
        }
        }
    }
    return sum;
}

int main(int, char **arguments) {
    Random random(std::stoull(arguments[1]));
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    if (lines.empty()) return 64;

    std::unique_ptr<hark_json_parser, void (*)(hark_json_parser *)> parser(hark_json_parser_new(1 << 16, 64), hark_json_parser_free);
    uint64_t accepted = 0, refused = 0, sum = 0;
    for (uint64_t count = std::stoull(arguments[2]); count > 0; count--) {
        std::string line = damaged(lines[random() % lines.size()], lines, random);
        // Now and then a parser of its own, too small, and one that has to grow.
        if (random() % 512 == 0) parser.reset(hark_json_parser_new(random() % 256, 1 + random() % 64));
        if (random() % 512 == 0) line = "[" + std::string(random() % 200000, ' ') + "]";
        std::unique_ptr<uint8_t[]> text(new uint8_t[line.size() + HARK_JSON_PADDING]);
        memcpy(text.get(), line.data(), line.size());
        memset(text.get() + line.size(), int(random()), HARK_JSON_PADDING);
        const uint64_t *tape = nullptr;
        const uint8_t *strings = nullptr;
        if (!parser) return 70;
        if (hark_json_parse(parser.get(), text.get(), line.size(), &tape, &strings) == HARK_JSON_OK) {
            // The text may go: nothing of the document points into it.
            text.reset();
            sum += read(tape, strings);
            accepted++;
        } else {
            refused++;
        }
    }
    if (!accepted || !refused) return 70;
    std::cout << "JSON: " << accepted << " lines accepted, " << refused << " refused (sum " << sum << ")\n";
}
