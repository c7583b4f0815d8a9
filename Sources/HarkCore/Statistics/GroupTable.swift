/// Numbers byte keys in the order in which they come; a lookup allocates nothing.
struct GroupTable {
    private var bytes: [UInt8] = []
    /// The end of each key in `bytes`.
    private var ends: [Int] = []
    private var hashes: [Int] = []
    /// An open-addressing table of key numbers plus one; 0 marks a free slot.
    private var places = [UInt32](repeating: 0, count: 64)

    private let mostKeys: Int
    private let mostBytes: Int

    init(mostKeys: Int, mostBytes: Int) {
        (self.mostKeys, self.mostBytes) = (mostKeys, mostBytes)
    }

    var count: Int { ends.count }

    /// The number of a key, assigned now if the key is new; nil if there is no room for another.
    mutating func number(of key: UnsafeBufferPointer<UInt8>) -> Int? {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        let hash = hasher.finalize()
        var place = hash & (places.count - 1)
        while places[place] != 0 {
            let number = Int(places[place]) - 1
            if hashes[number] == hash, holds(key, at: number) { return number }
            place = (place + 1) & (places.count - 1)
        }
        guard count < mostKeys, bytes.count + key.count <= mostBytes else { return nil }
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
        hashes.append(hash)
        places[place] = UInt32(count)
        if count > places.count / 2 { grow() }
        return count - 1
    }

    private func range(of number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

    private func holds(_ key: UnsafeBufferPointer<UInt8>, at number: Int) -> Bool {
        let range = range(of: number)
        return range.count == key.count && bytes[range].elementsEqual(key)
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: places.count * 2)
        for (number, hash) in hashes.enumerated() {
            var place = hash & (places.count - 1)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(number + 1)
        }
    }

    func key(_ number: Int) -> ArraySlice<UInt8> { bytes[range(of: number)] }
}
