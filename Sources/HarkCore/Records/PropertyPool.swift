package import HarkWire

/// Memory that holds properties.
///
/// Each byte is written once, by the creator or the pool of the memory, before its place is handed out. So a receiver
/// may read its place on any thread while the pool writes further on.
final class PropertyMemory: ManagedBuffer<Int, UInt8> {
    static func make(_ size: Int) -> PropertyMemory {
        unsafeDowncast(create(minimumCapacity: size) { _ in size }, to: PropertyMemory.self)
    }

    /// The size in bytes.
    var size: Int { header }
}

/// Allocates the properties of many records one after the other in a few pieces of memory. A piece is freed when no
/// record uses it any more. An allocation per record costs more than copying its content, above all when another thread
/// frees it.
///
/// For short-lived properties, such as those of events on their way to disk: a long-lived one keeps its whole piece
/// alive.
package final class PropertyPool {
    /// The greatest size of a piece, in bytes.
    private static let largest = 65_536
    /// Larger properties get memory of their own; in bytes.
    private static let mostShared = largest / 4

    private var memory: PropertyMemory?
    private var used = 0
    /// The size of the next piece, in bytes; grows with demand.
    private var next: Int

    /// - Parameter first: the size of the first piece, in bytes.
    package init(first: Int = 1_024) { next = first }

    /// Packs the members that `fill` appends.
    ///
    /// - Parameters:
    ///   - size: the greatest size of the members, in bytes.
    ///   - fill: returns false when there is no room left (`PropertyPacker.hasRoom`); it is then called again with as
    ///     much room as `size` gives.
    package func pack(
        size: () -> Int, _ fill: (inout PropertyPacker) throws(WireError) -> Bool
    ) throws(WireError) -> Properties {
        if let memory, let end = try PropertyPool.fill(memory, from: used, fill) { return take(memory, to: end) }
        let (memory, start) = room(for: size())
        guard let end = try PropertyPool.fill(memory, from: start, fill) else {
            preconditionFailure("members take more room than they were said to")
        }
        return memory === self.memory ? take(memory, to: end) : Properties(in: memory, start..<end)
    }

    /// Packs the members that `fill` appends.
    ///
    /// - Parameters:
    ///   - bound: the greatest size of the members, in bytes.
    ///   - fill: returns false on failure.
    /// - Returns: nil on failure, and if the bound is so large that the members need memory of their own, which should
    ///   have their exact size.
    package func pack(atMost bound: Int, _ fill: (inout PropertyPacker) -> Bool) -> Properties? {
        guard bound <= PropertyPool.mostShared else { return nil }
        let (memory, start) = room(for: bound)
        let end = memory.withUnsafeMutablePointerToElements { base -> Int? in
            var packer = PropertyPacker(BytePacker(base + start), room: memory.size - start)
            return fill(&packer) ? packer.packer.end - base : nil
        }
        return end.map { take(memory, to: $0) }
    }

    /// Discards properties that were not handed on, so that the next ones can use their place.
    package func takeBack(_ properties: Properties) {
        guard let memory, let start = properties.start(in: memory, upTo: used) else { return }
        used = start
    }

    /// Copies packed bytes from elsewhere.
    func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> Properties {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return .none }
        let (memory, start) = room(for: bytes.count)
        let end = start + bytes.count
        memory.withUnsafeMutablePointerToElements { ($0 + start).initialize(from: base, count: bytes.count) }
        return memory === self.memory ? take(memory, to: end) : Properties(in: memory, start..<end)
    }

    /// - Returns: the end of the members; nil when they did not fit.
    private static func fill(
        _ memory: PropertyMemory, from start: Int, _ fill: (inout PropertyPacker) throws(WireError) -> Bool
    ) throws(WireError) -> Int? {
        try memory.withUnsafeMutablePointerToElements { base throws(WireError) in
            var packer = PropertyPacker(BytePacker(base + start), room: memory.size - start)
            return try fill(&packer) ? packer.packer.end - base : nil
        }
    }

    private func take(_ memory: PropertyMemory, to end: Int) -> Properties {
        defer { used = end }
        return Properties(in: memory, used..<end)
    }

    /// Finds room for `size` bytes: in the current piece, in a new one, or in memory of their own if they are large.
    private func room(for size: Int) -> (PropertyMemory, start: Int) {
        if let memory, memory.size - used >= size { return (memory, used) }
        if size > PropertyPool.mostShared { return (.make(size), 0) }
        let made = PropertyMemory.make(max(size, next))
        next = min(PropertyPool.largest, 4 * next)
        (memory, used) = (made, 0)
        return (made, 0)
    }
}
