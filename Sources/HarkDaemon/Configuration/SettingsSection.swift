import HarkCore
import HarkWire

/// A family's part of `harkd.json`.
protocol SettingsSection: Sendable, Equatable {
    /// With what holds where the file says nothing.
    init()

    /// Takes its members; what is at fault stays as it is without it.
    mutating func read(_ reader: inout ObjectReader)

    /// Writes its members, each with its key, as `config.get` tells them.
    func write(to json: inout JSONWriter)
}

/// The sections of those families that name theirs in the list (`Family.settings`).
struct SettingsSections: Sendable, Equatable {
    private var sections: [any SettingsSection]

    init(of families: [Family] = []) { sections = families.compactMap { $0.settings?.init() } }

    /// What holds where there is none.
    subscript<Section: SettingsSection>(_ section: Section.Type) -> Section {
        sections.lazy.compactMap { $0 as? Section }.first ?? Section()
    }

    mutating func read(_ reader: inout ObjectReader) {
        for place in sections.indices { sections[place].read(&reader) }
    }

    func write(to json: inout JSONWriter) {
        for section in sections { section.write(to: &json) }
    }

    static func == (left: SettingsSections, right: SettingsSections) -> Bool {
        left.sections.count == right.sections.count
            && zip(left.sections, right.sections).allSatisfy { $0.isEqual(to: $1) }
    }
}

extension SettingsSection {
    fileprivate func isEqual(to other: any SettingsSection) -> Bool { self == other as? Self }
}
