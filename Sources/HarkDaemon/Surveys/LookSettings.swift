import HarkCore
import HarkServer
import HarkSettings
import HarkWire

/// `look` of the settings: the colours and the logo of windows and kiosks.
struct LookSettings: SettingsSection {
    var accent: Colour?
    var background: Colour?
    /// The file of a picture.
    var logo: String?

    /// The least contrast of a background with black or white: texts on it are also dimmed.
    private static let leastOfBackground = 10.0

    mutating func read(_ settings: inout ObjectReader) {
        guard var reader = settings.object("look", expected: "an object with accent, logo and background") else {
            return
        }
        defer { reader.finish() }
        reader.take("accent", .orNull(.colour), into: &accent)
        reader.take("background", .orNull(.background(least: Self.leastOfBackground)), into: &background)
        reader.take("logo", .orNull(.path), into: &logo)
    }

    func write(to json: inout JSONWriter) { json.member("look", info(logo: logo)) }

    /// The values that are set.
    fileprivate func info(logo: String?) -> LookInfo {
        var info = LookInfo()
        (info.accent, info.background, info.logo) = (accent?.text, background?.text, logo)
        return info
    }
}

extension MemberType<Colour> {
    fileprivate static var colour: MemberType {
        MemberType("a colour as in \"#7a1fa2\"", .string) { $0.stringValue.flatMap { Colour($0) } }
    }

    fileprivate static func background(least: Double) -> MemberType {
        func isClear(_ colour: Colour) -> Bool { colour.contrast(with: colour.ink) >= least }
        let why = "neither black nor white is read well enough on it; choose a lighter or darker one"
        func fault(_ value: JSONValue) -> String? {
            value.stringValue.flatMap { Colour($0) }.flatMap { isClear($0) ? nil : why }
        }
        return MemberType("a colour as in \"#fff8e7\"", .string, fault: fault) { value in
            value.stringValue.flatMap { Colour($0) }.flatMap { isClear($0) ? $0 : nil }
        }
    }
}

extension MemberType<String> {
    fileprivate static var path: MemberType {
        MemberType("a path", .string) { $0.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    }
}

extension SurveyMethods {
    static let look = Method(
        SurveyLook.self, summary: "Returns the colours and the logo for windows.",
        details: """
            They come from `look` in the settings. If a member is left out, the desktop's theme applies. The logo is the path of \
            a file that the presenter reads itself.
            """,
        examples: [.init(params: "{}", result: "{}")],
        handler: .read { call, _, json throws(WireError) in
            let look = call.desk(SettingsDesk.self).configuration.sections[LookSettings.self]
            let logo = look.logo.map { call.desk(SettingsDesk.self).options.paths.inConfiguration($0) }
            look.info(logo: logo).writeMembers(to: &json)
        })
}
