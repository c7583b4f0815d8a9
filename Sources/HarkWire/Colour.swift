import Glibc

/// An opaque colour of sRGB, and how well one is read on another (WCAG 2).
package struct Colour: Sendable, Equatable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package static let black = Colour(red: 0, green: 0, blue: 0)
    package static let white = Colour(red: 255, green: 255, blue: 255)
    /// The least contrast of text.
    package static let leastOfText = 4.5
    private static let steps = 20

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `#RRGGBB`; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"), text.utf8.dropFirst().allSatisfy(Self.isHex),
            let number = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(truncatingIfNeeded: number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number))
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// As `#rrggbb`.
    package var text: String {
        let digits = Array("0123456789abcdef")
        return "#" + String([red, green, blue].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// From 0 (black) to 1 (white).
    package var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let part = Double(part) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast with another colour, from 1 (none) to 21.
    package func contrast(with other: Colour) -> Double {
        let (one, other) = (luminance, other.luminance)
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    /// Black or white, whichever is read better on this colour. The contrast is at least 4.5.
    package var ink: Colour { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// Mixes this colour with another one.
    ///
    /// - Parameter share: How much of the other one, from 0 to 1.
    package func mixed(with other: Colour, share: Double) -> Colour {
        func mix(_ one: UInt8, _ other: UInt8) -> UInt8 {
            UInt8(max(0, min(255, (Double(one) + (Double(other) - Double(one)) * share).rounded())))
        }
        return Colour(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }

    /// This colour, or as little darker or lighter as it takes to be read on the ground.
    package func readable(on ground: Colour, least: Double = leastOfText) -> Colour {
        let steps = (0...Self.steps).map { mixed(with: ground.ink, share: Double($0) / Double(Self.steps)) }
        return steps.first { $0.contrast(with: ground) >= least } ?? ground.ink
    }
}
