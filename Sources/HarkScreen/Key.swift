internal import CAdwaita

/// A pressed key.
package struct Key {
    let value: UInt32
    package let isControl: Bool
    package let isAlt: Bool

    package var isEscape: Bool { value == UInt32(GDK_KEY_Escape) }
    package var isReturn: Bool { value == UInt32(GDK_KEY_Return) || value == UInt32(GDK_KEY_KP_Enter) }
    package var isSpace: Bool { value == UInt32(GDK_KEY_space) || value == UInt32(GDK_KEY_KP_Space) }
    package var isTab: Bool { value == UInt32(GDK_KEY_Tab) || value == UInt32(GDK_KEY_ISO_Left_Tab) }
    package var isLeft: Bool { value == UInt32(GDK_KEY_Left) || value == UInt32(GDK_KEY_KP_Left) }
    package var isRight: Bool { value == UInt32(GDK_KEY_Right) || value == UInt32(GDK_KEY_KP_Right) }
    package var isUp: Bool { value == UInt32(GDK_KEY_Up) || value == UInt32(GDK_KEY_KP_Up) }
    package var isDown: Bool { value == UInt32(GDK_KEY_Down) || value == UInt32(GDK_KEY_KP_Down) }
    package var isHome: Bool { value == UInt32(GDK_KEY_Home) || value == UInt32(GDK_KEY_KP_Home) }
    package var isEnd: Bool { value == UInt32(GDK_KEY_End) || value == UInt32(GDK_KEY_KP_End) }
    package var isPageUp: Bool { value == UInt32(GDK_KEY_Page_Up) }
    package var isPageDown: Bool { value == UInt32(GDK_KEY_Page_Down) }

    /// The character that it types, if any.
    package var character: Character? {
        let scalar = Unicode.Scalar(gdk_keyval_to_unicode(value))
        guard let scalar, scalar.value > 32, !isControl, !isAlt else { return nil }
        return Character(scalar)
    }
}
