extension Record {
    /// A set of kinds. A test needs no hash, because it runs for every record that is received or read.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package init(_ kind: Kind) { rawValue = 1 << kind.rawValue }

        package static let event = Kinds(.event)
        package static let sessionStarted = Kinds(.sessionStarted)
        package static let sessionEnded = Kinds(.sessionEnded)
        package static let log = Kinds(.log)
        package static let form = Kinds(.form)
        package static let profile = Kinds(.profile)
        package static let presentation = Kinds(.presentation)
        package static let clear = Kinds(.clear)

        package static let all = Kinds(Kind.allCases.map { Kinds($0) })

        package func contains(_ kind: Kind) -> Bool { rawValue >> kind.rawValue & 1 == 1 }
    }
}
