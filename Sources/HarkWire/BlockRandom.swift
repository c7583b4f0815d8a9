import Glibc

/// The kernel's random numbers, fetched in blocks.
///
/// `SystemRandomNumberGenerator` calls the kernel for every number, some 0.3 µs each; here it is one call for 32
/// numbers. The numbers are the kernel's own, not stretched from a seed.
package struct BlockRandom: RandomNumberGenerator, Sendable {
    private typealias Block = InlineArray<32, UInt64>

    private var block: Block = Block(repeating: 0)
    private var index = 32

    package init() {}

    package mutating func next() -> UInt64 {
        if index == block.count { refill() }
        defer {
            // Numbers already returned are erased.
            block[index] = 0
            index += 1
        }
        return block[index]
    }

    private mutating func refill() {
        var span = block.mutableSpan
        span.withUnsafeMutableBytes { bytes in
            // Up to 256 bytes, the size of the block, are filled completely or not at all.
            guard getentropy(bytes.baseAddress, bytes.count) == 0 else {
                fatalError("the kernel gives no random numbers (getentropy: errno \(errno))")
            }
        }
        index = 0
    }
}
