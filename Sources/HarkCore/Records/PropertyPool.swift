package import HarkWire

/// Memory that properties lie in.
///
/// What is in it is written once, by the one who has it made or by the pool that it is of, and before anybody is handed the place.
/// So whoever was handed one may read it on any thread, while the pool writes behind it.
final class PropertyMemory: ManagedBuffer<Int, UInt8> {
    static func make(_ size: Int) -> PropertyMemory {
        unsafeDowncast(create(minimumCapacity: size) { _ in size }, to: PropertyMemory.self)
    }

    /// How many bytes there are.
    var size: Int { header }
}

/// Gives memory to the properties of many records, which lie one behind the other in a few pieces of it. Each is given back once no
/// record is left that lies in it: memory for each by itself costs more than to copy what is in it, above all where another
/// thread gives it back.
///
/// For properties that are gone soon, like those of events on their way to the disk: one that is kept keeps a piece.
package final class PropertyPool {
    /// A piece of memory has so many bytes at most.
    private static let largest = 65_536
    /// Properties of more bytes have memory of their own.
    private static let mostShared = largest / 4

    private var memory: PropertyMemory?
    private var used = 0
    /// So large will the next piece be. It grows with what there is to take.
    private var next: Int

    /// - Parameter first: how many bytes the first piece of memory has.
    package init(first: Int = 1_024) { next = first }

    /// Members that `fill` appends.
    ///
    /// - Parameters:
    ///   - size: how many bytes they may take.
    ///   - fill: returns false once there is no more room (`PropertyPacker.hasRoom`); then it is asked again, with as much as `size`
    ///     says.
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

    /// Members that `fill` appends.
    ///
    /// - Parameters:
    ///   - bound: how many bytes they take at most.
    ///   - fill: returns false where it cannot; then there are none.
    /// - Returns: nil also where the bound is so large that they would have memory of their own, which is not to be larger than they.
    package func pack(atMost bound: Int, _ fill: (inout PropertyPacker) -> Bool) -> Properties? {
        guard bound <= PropertyPool.mostShared else { return nil }
        let (memory, start) = room(for: bound)
        let end = memory.withUnsafeMutablePointerToElements { base -> Int? in
            var packer = PropertyPacker(BytePacker(base + start), room: memory.size - start)
            return fill(&packer) ? packer.packer.end - base : nil
        }
        return end.map { take(memory, to: $0) }
    }

    /// Nobody has a use for these after all, nor were they handed on: the next ones may lie in their place.
    package func takeBack(_ properties: Properties) {
        guard let memory, let start = properties.start(in: memory, upTo: used) else { return }
        used = start
    }

    /// A copy of what lies elsewhere.
    func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> Properties {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return .none }
        let (memory, start) = room(for: bytes.count)
        let end = start + bytes.count
        memory.withUnsafeMutablePointerToElements { ($0 + start).initialize(from: base, count: bytes.count) }
        return memory === self.memory ? take(memory, to: end) : Properties(in: memory, start..<end)
    }

    /// - Returns: where the members end; nil where they found no room.
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

    /// Memory for so many bytes, and where in it: in the piece at hand, in the next one, or in one of their own where they are many.
    private func room(for size: Int) -> (PropertyMemory, start: Int) {
        if let memory, memory.size - used >= size { return (memory, used) }
        if size > PropertyPool.mostShared { return (.make(size), 0) }
        let made = PropertyMemory.make(max(size, next))
        next = min(PropertyPool.largest, 4 * next)
        (memory, used) = (made, 0)
        return (made, 0)
    }
}
