import Glibc
import HarkScreen

/// Pictures that settings and options name. A picture that cannot be shown is reported, and left out.
enum PictureFile {
    /// The largest file, in bytes.
    static let largest = 20 << 20
    /// The largest file of a logo, or of an image in a question, in bytes.
    static let largestInWindow = 1 << 20
    /// The most pixels of an image; one needs four bytes of memory.
    private static let mostPixels = 50_000_000

    /// - Parameters:
    ///   - what: What the picture is, as in "the logo".
    ///   - alternative: What screen readers read instead of it; empty for nothing.
    ///   - largest: The largest file, in bytes.
    ///   - room: The space for the picture; nil for the file's own size.
    static func open(
        _ file: String, _ what: String, alternative: String, largest: Int = largest, room: Picture.Room? = nil
    ) -> Picture? {
        if let fault = fault(file, largest) {
            Say.error("\(what) '\(file)' \(fault)")
            return nil
        }
        let picture = Picture(file, alternative: alternative, room: room)
        if picture == nil { Say.error("\(what) '\(file)' cannot be read; PNG, JPEG and SVG can be shown") }
        return picture
    }

    private static func fault(_ file: String, _ largest: Int) -> String? {
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "cannot be read: \(String(cString: strerror(errno)))" }
        defer { close(descriptor) }
        // `lseek` fails for a pipe, and a device or a folder has no size.
        let size = lseek(descriptor, 0, SEEK_END)
        var first: UInt8 = 0
        guard size > 0, pread(descriptor, &first, 1, 0) == 1 else { return "cannot be read: it is no file, or empty" }
        if size > largest { return "is too large: at most \(largest >> 20) MB can be shown" }
        // A small file can be an image that needs all of the memory.
        return Picture.pixels(of: file) > mostPixels
            ? "is too large: at most \(mostPixels / 1_000_000) million pixels can be shown" : nil
    }
}
