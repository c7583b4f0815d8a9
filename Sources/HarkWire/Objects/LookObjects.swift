/// The result of `survey.look`.
package struct LookInfo: WireObject {
    package var accent: String?
    package var background: String?
    package var logo: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("accent", &accent, "the colour of chosen answers and of the main button, as `#rrggbb`")
        m("background", &background, "the colour of the background")
        m("logo", &logo, "the path of a picture, as PNG, JPEG or SVG")
    }
}
