/// The direction of text.
package enum Reading {
    /// Whether the first letter belongs to a right-to-left script; nil if there is no letter.
    package static func isRightToLeft(_ text: String) -> Bool? {
        text.unicodeScalars.first { $0.properties.isAlphabetic }.map { letter in
            switch letter.value {
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
            default: false
            }
        }
    }
}
