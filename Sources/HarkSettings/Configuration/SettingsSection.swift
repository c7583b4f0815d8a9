package import HarkCore
package import HarkWire

/// A family's part of `harkd.json`.
package protocol SettingsSection: Sendable, Equatable {
    /// Creates the section with its defaults.
    init()

    /// Reads its members; a member with a fault keeps its default.
    mutating func read(_ reader: inout ObjectReader)

    /// Writes its members with their keys, as `config.get` returns them.
    func write(to json: inout JSONWriter)
}

/// The sections of the families that declare their own (`Family.settings`).
package struct SettingsSections: Sendable, Equatable {
    private var sections: [any SettingsSection]

    package init(_ types: [any SettingsSection.Type] = []) { sections = types.map { $0.init() } }

    /// The section of a type, or its defaults if there is none.
    package subscript<Section: SettingsSection>(_ section: Section.Type) -> Section {
        sections.lazy.compactMap { $0 as? Section }.first ?? Section()
    }

    package mutating func read(_ reader: inout ObjectReader) {
        for place in sections.indices { sections[place].read(&reader) }
    }

    package func write(to json: inout JSONWriter) {
        for section in sections { section.write(to: &json) }
    }

    package static func == (left: SettingsSections, right: SettingsSections) -> Bool {
        left.sections.count == right.sections.count
            && zip(left.sections, right.sections).allSatisfy { $0.isEqual(to: $1) }
    }
}

extension SettingsSection {
    fileprivate func isEqual(to other: any SettingsSection) -> Bool { self == other as? Self }
}
