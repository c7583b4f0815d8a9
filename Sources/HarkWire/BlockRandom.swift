import Glibc

/// The system's random numbers, fetched a block at a time.
///
/// `SystemRandomNumberGenerator` asks the kernel for every number, some 0.3 µs each; here it is one question in 32.
/// The numbers are the kernel's own, not stretched from a seed.
package struct BlockRandom: RandomNumberGenerator, Sendable {
    private typealias Block = InlineArray<32, UInt64>

    private var block: Block = Block(repeating: 0)
    private var index = 32

    package init() {}

    package mutating func next() -> UInt64 {
        if index == block.count { refill() }
        defer {
            // What has been handed out is nobody's to read again.
            block[index] = 0
            index += 1
        }
        return block[index]
    }

    private mutating func refill() {
        var span = block.mutableSpan
        span.withUnsafeMutableBytes { bytes in
            // At most 256 bytes, the block's size, are given in full or not at all.
            guard getentropy(bytes.baseAddress, bytes.count) == 0 else {
                fatalError("the kernel gives no random numbers (getentropy: errno \(errno))")
            }
        }
        index = 0
    }
}
