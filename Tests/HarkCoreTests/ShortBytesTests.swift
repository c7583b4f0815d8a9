import HarkTesting
import Testing

@testable import HarkCore

/// Short runs of bytes are copied and compared a word at a time. The last word may overlap the one before.
@Suite struct ShortBytesTests {
    /// Runs that lie at any address, with something else on either side.
    private static func withRun<Result>(_ bytes: [UInt8], at place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
        -> Result
    {
        let around = [UInt8](repeating: 0xaa, count: place) + bytes + [UInt8](repeating: 0xbb, count: 16)
        return around.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[place..<place + bytes.count])) }
    }

    @Test("a run of any length is copied as it is, and nothing behind it", arguments: 0...70)
    func copied(_ count: Int) {
        let run = (0..<count).map { UInt8($0 + 1) }
        for place in 0..<9 {
            var copy = [UInt8](repeating: 0xcc, count: place + count + 16)
            let length = copy.withUnsafeMutableBufferPointer { copy in
                guard let start = copy.baseAddress else { return 0 }
                var packer = BytePacker(start + place)
                Self.withRun(run, at: place) { packer.append($0) }
                return packer.end - start - place
            }
            #expect(length == count)
            let around = [UInt8](repeating: 0xcc, count: place)
            #expect(copy == around + run + [UInt8](repeating: 0xcc, count: 16))
        }
    }

    @Test("runs are the same where each byte is, and as many are", arguments: 0...70)
    func compared(_ count: Int) {
        let run = (0..<count).map { UInt8($0 + 1) }
        for place in 0..<9 {
            func isSame(_ other: [UInt8]) -> Bool {
                Self.withRun(run, at: place) { run in Self.withRun(other, at: 8 - place) { run.hasSameBytes(as: $0) } }
            }
            #expect(isSame(run))
            #expect(!isSame(run + [0]))
            for changed in run.indices {
                var other = run
                other[changed] ^= 0x80
                #expect(!isSame(other))
            }
        }
    }
}
