import HarkTesting

/// Damages lines the way broken clients, cut connections and malice do.
struct LineMutator {
    private static let pieces: [[UInt8]] = [
        [0], [0x1F], [0x7F], [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        Array("99999999999999999999999".utf8), Array("9223372036854775808".utf8), Array("-9223372036854775809".utf8),
        Array("18446744073709551616".utf8), Array("1e999".utf8), Array("-1e999".utf8), Array("01".utf8),
        Array("0.".utf8), Array("\\".utf8), Array("\\ud800".utf8), Array("\\u12".utf8), Array("\"".utf8),
        Array("{".utf8), Array("}".utf8), Array("[".utf8), Array("]".utf8), Array(",".utf8), Array(":".utf8),
        Array("nul".utf8), Array("\u{FEFF}".utf8), Array("\r".utf8), Array("\n".utf8), Array("//".utf8),
        Array(#""id":1,"#.utf8), Array(#""a":1,"a":2,"#.utf8), Array(#"{"a":1,"\u0061":2}"#.utf8),
        Array(#","method":"x""#.utf8), Array(#"{"a":{"a":[{"b":1,"b":1}]}}"#.utf8),
    ]

    /// Earlier lines, to splice with.
    private var earlier: [[UInt8]] = []

    mutating func mutate(_ line: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var mutated = line
        if !random.once(in: 3) {
            for _ in 0...random.below(3) { damage(&mutated, &random) }
        }
        remember(line, &random)
        return mutated
    }

    private mutating func remember(_ line: [UInt8], _ random: inout SplitMix64) {
        if earlier.count < 64 {
            earlier.append(line)
        } else {
            earlier[random.below(64)] = line
        }
    }

    private func damage(_ line: inout [UInt8], _ random: inout SplitMix64) {
        let place = random.below(line.count + 1)
        let range = place..<min(line.count, place + random.below(24))
        switch random.below(9) {
        case 0 where !line.isEmpty: line[min(place, line.count - 1)] ^= 1 << UInt8(random.below(8))
        case 1 where !line.isEmpty: line[min(place, line.count - 1)] = UInt8(truncatingIfNeeded: random.next())
        case 2: line.removeSubrange(place...)
        case 3: line.removeSubrange(range)
        case 4: line.insert(contentsOf: Array(line[range]), at: random.below(line.count + 1))
        case 5 where !earlier.isEmpty: splice(&line, at: place, &random)
        case 6 where random.once(in: 10): nest(&line, &random)
        default: line.insert(contentsOf: random.pick(Self.pieces), at: place)
        }
    }

    private func splice(_ line: inout [UInt8], at place: Int, _ random: inout SplitMix64) {
        let other = random.pick(earlier)
        line.replaceSubrange(place..., with: other[random.below(other.count + 1)...])
    }

    /// Puts a value into arrays or objects; mostly around the limit, sometimes absurdly many of them.
    private func nest(_ line: inout [UInt8], _ random: inout SplitMix64) {
        let colons = line.indices.filter { line[$0] == UInt8(ascii: ":") }
        guard !colons.isEmpty else { return }
        let levels = random.once(in: 20) ? random.below(100_000) : 25 + random.below(12)
        let asObjects = random.once(in: 2)
        let open = Array((asObjects ? #"{"a":"# : "[").utf8)
        let close = Array((random.once(in: 5) ? "" : asObjects ? "}" : "]").utf8)
        var piece: [UInt8] = []
        for _ in 0..<levels { piece += open }
        piece += Array("7".utf8)
        for _ in 0..<levels { piece += close }
        // An additional member in front of an existing one keeps the line whole.
        piece = Array(#""nested":"#.utf8) + piece + Array(",".utf8)
        let place = (line.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
        line.insert(contentsOf: piece, at: place)
    }
}
