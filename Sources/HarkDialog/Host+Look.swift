import HarkAsking
import HarkScreen

/// The colours and the logo that the settings give to windows.
extension Host {
    /// Asks the daemon once how windows are to look. What is on the screen already follows.
    func dress() async {
        guard !isDressed, let shown = await clerk.look else { return }
        isDressed = true
        let look = WindowLook(shown)
        if let isDark = look.isDark { Application.isDark = isDark }
        application.style { look.sheet(isDark: $0) }
        // What is wrong with it is said once.
        guard let file = shown.logo,
            PictureFile.open(file, "the logo", alternative: "", largest: PictureFile.largestInWindow) != nil
        else { return }
        logo = file
        frame?.measures.logo = logo
        if restPage != nil { rest() }
    }

    /// The picture of the resting screen, which is the logo if no other is given; nil if there is none.
    func makePicture() -> Picture? {
        if let file = options.restImage {
            return PictureFile.open(file, "the picture", alternative: options.restText ?? "")
        }
        return logo.flatMap { PictureFile.open($0, "the logo", alternative: "", largest: PictureFile.largestInWindow) }
    }
}
