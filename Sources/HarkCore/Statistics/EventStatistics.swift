internal import HarkWire

/// Counts events by group and time bucket, and sums their numbers, in bounded memory for any input.
///
/// Events of groups that do not fit are counted as the rest; the total stays complete.
// The slices of a query add to it one after the other on the reader's thread, and the last one writes: it is never
// shared.
package final class EventStatistics: @unchecked Sendable {
    let question: StatisticsQuestion
    private let properties: [(key: [UInt8], place: Int)]
    private let byPlaces: [Int?]
    private let valuePlace: Int?
    private let distinctPlace: Int?

    var groups: GroupTable
    /// The number of cells per group: the whole group, followed by its buckets. The first two groups are the total and
    /// the rest.
    let width: Int
    var counts: [Int] = []
    var numbers: [NumberSummary] = []
    var spreads: [QuantileSketch] = []
    var distincts: [DistinctCount] = []
    /// The range of times counted, in milliseconds.
    private(set) var span: ClosedRange<Int64>?
    private var spreadBudget = StatisticsQuestion.sketchBytes
    private var distinctBudget = StatisticsQuestion.sketchBytes

    // Values of the event being added.
    private var found: [Properties.Member.View?]
    private var key: [UInt8] = []
    private var number: Properties.Member.View?
    private var hash: UInt64?
    /// The bucket of the last event, and its time range.
    private var bucket: (place: Int, span: Range<Int64>)?
    /// The address of the last event's name, and its group.
    private var named: (start: UnsafePointer<UInt8>?, count: Int, cell: Int)?

    static let fixedGroups = 2

    package init(_ question: StatisticsQuestion) {
        self.question = question
        width = question.buckets + 1
        groups = GroupTable(mostKeys: question.groupLimit, mostBytes: StatisticsQuestion.mostKeyBytes)
        var properties: [(key: [UInt8], place: Int)] = []
        func place(of field: EventField?) -> Int? {
            guard case .property(let name)? = field else { return nil }
            let key = Array(name.text.utf8)
            if let known = properties.first(where: { $0.key == key }) { return known.place }
            properties.append((key, properties.count))
            return properties.count - 1
        }
        byPlaces = question.by.map { place(of: $0) }
        valuePlace = place(of: question.value)
        distinctPlace = place(of: question.distinct)
        self.properties = properties
        found = Array(repeating: nil, count: properties.count)
        for _ in 0..<EventStatistics.fixedGroups { addGroup() }
    }

    private func addGroup() {
        counts.append(contentsOf: repeatElement(0, count: width))
        if valuePlace != nil { numbers.append(contentsOf: repeatElement(NumberSummary(), count: width)) }
        if valuePlace != nil, !question.percentiles.isEmpty {
            spreads.append(contentsOf: repeatElement(QuantileSketch(), count: width))
        }
        if question.distinct != nil { distincts.append(contentsOf: repeatElement(DistinctCount(), count: width)) }
    }

    /// Must be called before events of another block, because their bytes are elsewhere.
    package func beginBlock() { named = nil }

    /// Adds an event; its bytes are read only during the call.
    package func add(_ event: RecordView, of session: SessionIdentity) {
        guard let bucket = bucketPlace(of: event.at.milliseconds) else { return }
        let time = event.at.milliseconds
        if let known = span {
            if !known.contains(time) { span = min(known.lowerBound, time)...max(known.upperBound, time) }
        } else {
            span = time...time
        }
        if !properties.isEmpty { look(at: event) }
        number = valuePlace.flatMap { found[$0] }
        hash = question.distinct.flatMap { hash(of: $0, distinctPlace, event, session) }
        add(to: 0, bucket)
        add(to: cell(of: event, session), bucket)
    }

    private func look(at event: RecordView) {
        for place in found.indices { found[place] = nil }
        Properties.forEachMember(in: event.properties) { member in
            for property in properties
            where property.key.count == member.key.count && found[property.place] == nil
                && member.key.elementsEqual(property.key)
            {
                found[property.place] = member.value
            }
        }
    }

    /// The bucket of a time; 0 if there are no buckets, nil if it is outside of all.
    private func bucketPlace(of time: Int64) -> Int? {
        guard width > 1 else { return 0 }
        if let bucket, bucket.span.contains(time) { return bucket.place }
        let boundaries = question.boundaries
        var (low, high) = (0, boundaries.count)
        while low < high {
            let middle = (low + high) / 2
            if boundaries[middle].milliseconds <= time { low = middle + 1 } else { high = middle }
        }
        guard low > 0, low < boundaries.count else { return nil }
        bucket = (low, boundaries[low - 1].milliseconds..<boundaries[low].milliseconds)
        return low
    }

    /// The first cell of an event's group.
    private func cell(of event: RecordView, _ session: SessionIdentity) -> Int {
        let isByName = question.by.count == 1 && question.by[0] == .name
        if isByName, let named, named.start == event.name.baseAddress, named.count == event.name.count {
            return named.cell
        }
        key.removeAll(keepingCapacity: true)
        for (place, field) in question.by.enumerated() { appendKey(of: field, byPlaces[place], event, session) }
        let cell: Int
        if let number = key.withUnsafeBufferPointer({ groups.number(of: $0) }) {
            cell = (EventStatistics.fixedGroups + number) * width
            if cell == counts.count { addGroup() }
        } else {
            cell = width
        }
        if isByName { named = (event.name.baseAddress, event.name.count, cell) }
        return cell
    }

    private func appendKey(of field: EventField, _ place: Int?, _ event: RecordView, _ session: SessionIdentity) {
        switch field {
        case .name: FieldKey.append(event.name, to: &key)
        case .sequence: FieldKey.append(Int64(clamping: event.sequence), to: &key)
        case .uid: FieldKey.append(Int64(event.source.uid), to: &key)
        case .pid: FieldKey.append(Int64(event.source.pid), to: &key)
        case .app: FieldKey.append(session.scope.app, to: &key)
        case .user: appendKey(session.userId)
        case .machine: appendKey(session.machine?.name)
        case .group: appendKey(session.machine?.group)
        case .session: FieldKey.append(session.id, to: &key)
        case .property:
            let value = place.flatMap { found[$0] }
            if value == nil, let machine = session.machine, let origin = field.origin(of: machine) {
                return appendKey(origin)
            }
            FieldKey.append(value, to: &key)
        }
    }

    private func appendKey(_ text: String?) {
        if let text { FieldKey.append(text, to: &key) } else { FieldKey.appendMissing(to: &key) }
    }

    /// The hash of a value; nil for a missing one, which does not count.
    private func hash(
        of field: EventField, _ place: Int?, _ event: RecordView, _ session: SessionIdentity
    ) -> UInt64? {
        key.removeAll(keepingCapacity: true)
        appendKey(of: field, place, event, session)
        if key.count == 1 { return nil }
        var hasher = Hasher()
        key.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private func add(to cell: Int, _ bucket: Int) {
        tally(cell)
        if bucket > 0 { tally(cell + bucket) }
    }

    private func tally(_ cell: Int) {
        counts[cell] += 1
        switch number {
        case .integer(let number):
            numbers[cell].add(number)
            spread(Double(number), cell)
        case .double(let number) where number.isFinite:
            numbers[cell].add(number)
            spread(number, cell)
        default: break
        }
        if let hash { distincts[cell].add(hash, budget: &distinctBudget) }
    }

    private func spread(_ number: Double, _ cell: Int) {
        if !spreads.isEmpty { spreads[cell].add(number, budget: &spreadBudget) }
    }
}
