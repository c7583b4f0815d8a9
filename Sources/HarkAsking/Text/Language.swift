/// A language that can be chosen on a screen.
package struct Language: Sendable, Equatable {
    /// Such as `de` or `pt_BR`.
    package let code: String
    /// Its own name; the code if that is not known.
    package let name: String

    /// - Returns: Nil if the text is not a language code.
    package init?(_ code: String) {
        let parts = code.split(whereSeparator: { $0 == "-" || $0 == "_" })
        let isCode = code.utf8.allSatisfy { unit in
            let letter = unit | 0x20
            return UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= unit
                || unit == UInt8(ascii: "-") || unit == UInt8(ascii: "_")
        }
        guard let language = parts.first?.lowercased(), (2...3).contains(language.utf8.count), parts.count <= 3, isCode,
            code.utf8.count <= 16
        else { return nil }
        self.code = ([language] + parts.dropFirst().map(String.init)).joined(separator: "_")
        name = Self.names[self.code] ?? Self.names[language] ?? code
    }

    /// Whether it is written from right to left.
    package var isRightToLeft: Bool {
        ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(code.prefix { $0 != "_" })
    }

    private static let names = [
        "ar": "العربية", "bg": "Български", "bn": "বাংলা", "ca": "Català", "cs": "Čeština", "da": "Dansk", "de": "Deutsch",
        "el": "Ελληνικά", "en": "English", "es": "Español", "et": "Eesti", "eu": "Euskara", "fa": "فارسی",
        "fi": "Suomi",
        "fr": "Français", "ga": "Gaeilge", "gl": "Galego", "he": "עברית", "hi": "हिन्दी", "hr": "Hrvatski", "hu": "Magyar",
        "id": "Bahasa Indonesia", "is": "Íslenska", "it": "Italiano", "ja": "日本語", "ko": "한국어", "lt": "Lietuvių",
        "lv": "Latviešu", "nb": "Norsk", "nl": "Nederlands", "no": "Norsk", "pl": "Polski", "pt": "Português",
        "pt_BR": "Português (Brasil)", "ro": "Română", "ru": "Русский", "sk": "Slovenčina", "sl": "Slovenščina",
        "sq": "Shqip", "sr": "Српски", "sv": "Svenska", "th": "ไทย", "tr": "Türkçe", "uk": "Українська", "ur": "اردو",
        "vi": "Tiếng Việt", "zh": "中文", "zh_CN": "简体中文", "zh_TW": "繁體中文",
    ]
}
