/// How windows are to look.
extension MethodShape {
    package static let surveyLook = MethodShape(
        "survey.look",
        result: [
            .maybe("accent", .string, "the colour of what is chosen, and of the main button, as `#rrggbb`"),
            .maybe("background", .string, "the colour of the ground"),
            .maybe("logo", .string, "the path of a picture, as PNG, JPEG or SVG"),
        ])
}
