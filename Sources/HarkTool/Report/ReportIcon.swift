/// Hark's icon, as `packaging/icons/org.hark.Dialog.svg` has it, within the page: nothing is fetched.
enum ReportIcon {
    static let svg = """
        <svg class="icon" viewBox="0 0 128 128" aria-hidden="true"><defs>\
        <linearGradient id="hark-ground" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#62a0ea"/>\
        <stop offset="1" stop-color="#1c71d8"/></linearGradient></defs>\
        <path fill="#1a5fb4" d="\(bubble(from: 18, to: 102))"/><path fill="url(#hark-ground)" d="\(bubble(from: 14, to: 98))"/>\
        <path fill="none" stroke="#fff" stroke-width="9" stroke-linecap="round" \
        d="M36 48v16M50 38v36M64 30v52M78 42v28M92 50v12"/></svg>
        """

    /// A speech bubble between two heights.
    private static func bubble(from top: Int, to bottom: Int) -> String {
        "M34 \(top)h60a22 22 0 0 1 22 22v40a22 22 0 0 1-22 22H64l-22 20a4 4 0 0 1-6.700-3V\(bottom)H34"
            + "a22 22 0 0 1-22-22V\(top + 22)a22 22 0 0 1 22-22z"
    }
}
