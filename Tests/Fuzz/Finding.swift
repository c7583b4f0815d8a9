/// A promise that was broken, and how that was seen.
struct Finding: Error {
    var text: String

    init(_ text: String) { self.text = text }
}
