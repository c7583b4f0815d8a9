import CLinux
import Glibc
import HarkClient
import HarkWire

/// Hark's own texts for people who are asked, such as labels of buttons, in their language.
///
/// They are English until `speakLanguageOfDesktop` is called. The translations are GNU gettext catalogues with sources
/// in `po/`; in these texts `{name}` is a placeholder.
package enum Words {
    /// The user's language from the environment, such as `de_AT.UTF-8`; nil if none is set.
    package static let locale: String? = {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            guard let value = SocketAddress.environment(name), !value.isEmpty else { continue }
            return value == "C" || value == "POSIX" || value.hasPrefix("C.") ? nil : value
        }
        return nil
    }()

    /// Switches to the language of the desktop, as far as there are translations. This changes the locale and the
    /// environment of the process, so it must be called before there are threads.
    ///
    /// The catalogues are in `TEXTDOMAINDIR`, as for gettext's own programs, or else next to the program.
    package static func speakLanguageOfDesktop() {
        // A locale may not exist on this machine; gettext then uses LANGUAGE.
        if let locale, setlocale(LC_ALL, "") == nil {
            setenv("LANGUAGE", String(locale.prefix { $0 != "." && $0 != "@" }), 0)
            setenv("LC_ALL", "C.UTF-8", 1)
            setlocale(LC_ALL, "")
        }
        guard let folder = SocketAddress.environment("TEXTDOMAINDIR") ?? folderBesideProgram else { return }
        bindtextdomain("hark", folder)
        bind_textdomain_codeset("hark", "UTF-8")
    }

    /// The value of LANGUAGE in the environment, in separate memory: it is changed in place, since others may read the
    /// environment.
    private static nonisolated(unsafe) let language: (variable: UnsafeMutablePointer<CChar>, own: String)? = {
        let own = SocketAddress.environment("LANGUAGE") ?? ""
        let name = "LANGUAGE="
        let capacity = name.utf8.count + max(own.utf8.count, languageLength) + 1
        let variable = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
        variable.initialize(repeating: 0, count: capacity)
        write(name + own, to: variable)
        guard putenv(variable) == 0 else { return nil }
        return (variable + name.utf8.count, own)
    }()
    private static let languageLength = 32

    /// The language that was chosen on a screen; nil for that of the desktop. Like all of gettext, it is for one thread.
    private static nonisolated(unsafe) var spoken: String?

    /// The mark before decimals in the person's language.
    package static var decimalMark: Character { decimalMark(of: spoken ?? locale) }

    static func decimalMark(of locale: String?) -> Character { LocaleForm(locale).decimalMark }

    private static func write(_ text: String, to place: UnsafeMutablePointer<CChar>) {
        for (offset, unit) in text.utf8.enumerated() { place[offset] = CChar(bitPattern: unit) }
        place[text.utf8.count] = 0
    }

    /// Prepares for changes of the language. Like `speakLanguageOfDesktop`, it must be called before there are threads.
    package static func prepareLanguages() {
        // gettext translates nothing in the C locale.
        if let here = setlocale(LC_MESSAGES, nil).map({ String(cString: $0) }), here == "C" || here == "POSIX" {
            setenv("LC_ALL", "C.UTF-8", 1)
            setlocale(LC_ALL, "")
        }
        _ = language
    }

    /// Switches to a language, as far as there are translations; nil for that of the desktop.
    package static func speak(_ code: String?) {
        spoken = code
        guard let language else { return }
        write(code.map { String($0.prefix(languageLength - 1)) } ?? language.own, to: language.variable)
        // gettext caches translations until it is notified of a change.
        textdomain("hark")
    }

    /// `share/locale` in the installation prefix of the program.
    private static var folderBesideProgram: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/")
        return "/" + (parts.dropLast(2) + ["share", "locale"]).joined(separator: "/")
    }

    package static func say(_ text: StaticString, _ values: KeyValuePairs<String, String> = [:]) -> String {
        dgettext("hark", pointer(text)).map { fill(String(cString: $0), values) } ?? fill("\(text)", values)
    }

    /// - Parameters:
    ///   - one: The text for a `count` of 1 in English.
    ///   - count: Selects the plural form; available as `{count}`.
    package static func say(
        _ one: StaticString, _ many: StaticString, count: Int, _ values: KeyValuePairs<String, String> = [:]
    ) -> String {
        let all: [(key: String, value: String)] = [("count", Plural.grouped(count))] + Array(values)
        let text = dngettext("hark", pointer(one), pointer(many), UInt(clamping: count))
        return fill(text.map { String(cString: $0) } ?? (count == 1 ? "\(one)" : "\(many)"), all)
    }

    private static func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func fill(_ text: String, _ values: some Sequence<(key: String, value: String)>) -> String {
        var rest = text[...]
        var whole = ""
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            whole += rest[..<open]
            whole += values.first { $0.key == name }?.value ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return whole + rest
    }
}
