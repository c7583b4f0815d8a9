package import HarkWire

/// The part of a document of surveys or forms that a version of Hark can read.
///
/// Earlier versions ignore members that they do not know, and so would ask people for whom the survey is not meant. Therefore
/// a survey or form goes only to versions that can read all members that change its meaning (`DocumentMember.Weight`).
package struct DocumentFit {
    package private(set) var document: JSONValue
    package private(set) var held = HeldBack.none
    /// Whether the document is unchanged.
    package private(set) var isWhole = true

    private let rows: Rows
    private let version: DocumentVersion
    private var found: [(path: String, row: DocumentMember)] = []

    /// A table by place and name.
    package struct Rows: Sendable {
        fileprivate let rows: [DocumentMember.Place: [ExactName: [DocumentMember]]]
        /// The versions that added members, in order.
        package let versions: [DocumentVersion]

        package static let all = Rows(DocumentMember.all)

        package init(_ members: [DocumentMember]) {
            var rows: [DocumentMember.Place: [ExactName: [DocumentMember]]] = [:]
            for member in members {
                rows[member.place, default: [:]][ExactName(member.name), default: []].append(member)
            }
            self.rows = rows
            versions = Set(members.map(\.since)).sorted()
        }
    }

    /// - Parameter kind: surveys or forms; every version reads all flags.
    package init(_ document: JSONValue, _ kind: FleetDocumentKind, to version: DocumentVersion, by rows: Rows = .all) {
        self.document = document
        self.rows = rows
        self.version = version
        switch kind {
        case .surveys: fit(.surveys, "surveys")
        case .forms: fit(.forms, "forms")
        case .flags: break
        }
    }

    /// Holds all back, because the rest would not be valid.
    package mutating func holdAllBack() {
        let list = document["surveys"] == nil ? "forms" : "surveys"
        let next = rows.versions.first { $0 > version } ?? version
        hold(list: list, held.parts.first?.member ?? list, held.parts.first?.version ?? next)
    }

    private mutating func hold(list: String, _ member: String, _ version: DocumentVersion) {
        held = HeldBack(
            count: held.count + (document[list]?.arrayValue?.count ?? 0),
            parts: [HeldBack.Part(id: nil, member: member, version: version, isWhole: true)])
        document = .object([list: .array([])])
        isWhole = false
    }

    private mutating func fit(_ place: DocumentMember.Place, _ list: String) {
        guard var file = document.objectValue, let elements = file[list]?.arrayValue else { return }
        file[list] = nil
        guard var rest = walk(.object(file), place, "").objectValue else { return }
        if let heavy = found.first(where: { $0.row.weight == .meaning }) {
            return hold(list: list, heavy.path, heavy.row.since)
        }
        var parts = take(nil)
        var kept: [JSONValue] = []
        let inner: DocumentMember.Place = place == .surveys ? .survey : .form
        for element in elements {
            let fitted = walk(element, inner, "")
            let lacks = take(element["id"]?.stringValue)
            parts += lacks
            if !(lacks.first?.isWhole ?? false) { kept.append(fitted) }
        }
        held = HeldBack(count: elements.count - kept.count, parts: parts)
        guard !isWhole else { return }
        rest[list] = .array(kept)
        document = .object(rest)
    }

    /// Returns the members found since the last call, of a survey or form: the member for which all of it is held back, or the
    /// members left out.
    private mutating func take(_ id: String?) -> [HeldBack.Part] {
        defer { found = [] }
        isWhole = isWhole && found.isEmpty
        // The latest one: with its version, everything is readable.
        if let heavy = found.filter({ $0.row.weight == .meaning }).max(by: { $0.row.since < $1.row.since }) {
            return [HeldBack.Part(id: id, member: heavy.path, version: heavy.row.since, isWhole: true)]
        }
        return found.filter { $0.row.weight == .look }.map {
            HeldBack.Part(id: id, member: $0.path, version: $0.row.since, isWhole: false)
        }
    }

    /// Leaves out the members that the version cannot read, and notes them. The depth is bounded by the reader of documents, and
    /// by the places.
    private mutating func walk(_ value: JSONValue, _ place: DocumentMember.Place, _ path: String) -> JSONValue {
        guard var object = value.objectValue else { return value }
        let ways = place.ways
        for (key, value) in object.map({ ($0.key, $0.value) }) {
            let inner = path.isEmpty ? key : "\(path).\(key)"
            let row = rows.rows[place]?[ExactName(key)]?.first { $0.since > version && $0.means(value) }
            if let row {
                object[key] = nil
                // Null means that the member is absent.
                guard !value.isNull else { continue }
                found.append((path.isEmpty ? row.words : "\(path).\(row.words)", row))
            } else if let way = ways[key] {
                object[key] = walk(value, by: way, inner)
            }
        }
        return .object(object)
    }

    private mutating func walk(_ value: JSONValue, by way: DocumentMember.Place.Way, _ path: String) -> JSONValue {
        switch (way, value) {
        case (.itself(let place), _): return walk(value, place, path)
        case (.elements(let place), .array(let elements)):
            var walked: [JSONValue] = []
            for (index, element) in elements.enumerated() { walked.append(walk(element, place, "\(path)[\(index)]")) }
            return .array(walked)
        case (.values(let place), .object(var object)):
            for member in object {
                object[member.key] = walk(member.value, place, path + JSONPath.step(to: member.key))
            }
            return .object(object)
        default: return value
        }
    }
}
