import HarkAsking
import HarkWire

/// The command line of `hark-dialog`.
nonisolated struct DialogOptions: Sendable {
    struct Fault: Error {
        let text: String
    }

    private(set) var request = DaemonSession.Request.survey(nil, app: nil)
    private(set) var fillsScreen = false
    /// The options for successive visitors; nil if this is not a kiosk.
    private(set) var kiosk: KioskOptions?
    /// The text of a full screen while there is nothing to ask.
    private(set) var restText: String?
    /// The file of a picture above that text.
    private(set) var restImage: String?
    private(set) var wantsHelp = false
    private(set) var wantsVersion = false

    init(_ words: [String]) throws(Fault) {
        var rest = words[...]
        var (named, form, app, user): (String?, String?, String?, String?)
        var (isAnonymous, waits) = (false, false)
        var visitors = KioskOptions.Given()
        func value(_ name: String) throws(Fault) -> String {
            guard let value = rest.popFirst() else { throw Fault(text: "'\(name)' needs a value") }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--form": form = try value(word)
            case "--app", "-a": app = try value(word)
            case "--user", "-u": user = try value(word)
            case "--anonymous": isAnonymous = true
            case "--wait", "-w": waits = true
            case "--fullscreen": fillsScreen = true
            case "--rest": restText = try value(word)
            case "--rest-image": restImage = try value(word)
            case "--kiosk": visitors.isKiosk = true
            case "--idle-reset": visitors.idleReset = try value(word)
            case "--min-gap": visitors.minGap = try value(word)
            case "--colors": visitors.hasColors = true
            case "--always": visitors.alwaysShown = try value(word)
            case "--languages": visitors.languages = try value(word)
            case "--help", "-h": wantsHelp = true
            case "--version", "-V": wantsVersion = true
            case let word where word.hasPrefix("-"): throw Fault(text: "unknown option '\(word)'")
            default:
                if let named { throw Fault(text: "unexpected argument '\(word)' after '\(named)'") }
                named = word
            }
        }
        kiosk = try visitors.options()
        if kiosk != nil { (waits, fillsScreen) = (true, true) }
        if waits, let other = named ?? form {
            throw Fault(text: "'\(kiosk == nil ? "--wait" : "--kiosk")' and '\(other)' contradict each other")
        }
        if let form, let named { throw Fault(text: "'--form \(form)' and '\(named)' contradict each other") }
        if form == nil, user != nil || isAnonymous { throw Fault(text: "'--user' and '--anonymous' are for '--form'") }
        if user != nil, isAnonymous { throw Fault(text: "'--user' and '--anonymous' contradict each other") }
        if restImage != nil, !fillsScreen {
            throw Fault(text: "'--rest-image' is for '--kiosk' or '--fullscreen'")
        }
        if fillsScreen, !waits { throw Fault(text: "'--fullscreen' is for '--wait'") }
        if let form {
            let owner = user.map(UserChoice.named) ?? (isAnonymous ? .anonymous : .unsaid)
            request = .form(form, of: FormOwner(owner, app: app))
        } else {
            request =
                waits
                ? kiosk.map { .visitors(app: app ?? "default", alwaysShown: $0.alwaysShown) } ?? .all(app: app)
                : .survey(named, app: app)
        }
    }

    var kind: Measures.Kind { kiosk != nil ? .kiosk : fillsScreen ? .fullScreen : .window }

    static let help = """
        Usage: hark-dialog [OPTION …] [SURVEY | PRESENTATION]
               hark-dialog [OPTION …] --form FORM
               hark-dialog --wait [--fullscreen]
               hark-dialog --kiosk [OPTION …]

        Ask a survey, or have a form filled in, in a window. 'hark ask --window' and 'hark form FORM --window' start it.

        Options:
              --form FORM   The form to fill in, instead of a survey.
          -w, --wait        Show every survey as it comes, until it is ended.
              --fullscreen  With --wait: fill the screen, and rest between surveys.
              --rest TEXT   The text of a full screen while it rests.
              --rest-image FILE
                            A picture above that text, as PNG, JPEG or SVG.
              --kiosk       Ask visitors. Each one counts as another person. The window
                            fills the screen, and cannot be put off or closed. Each
                            visitor has a session, and never sees what the one before
                            began. Earlier surveys of the account limit no visitor,
                            but are not forgotten. See hark-dialog(1).
              --idle-reset SECONDS
                            Of a kiosk: start over when nobody has touched it for this
                            long (45). The screen says so 10 seconds before.
              --min-gap SECONDS
                            Of a kiosk: ignore presses this soon after an answer (5).
              --colors      Of a kiosk: faces on backgrounds from red to green.
              --always SURVEY
                            Of a kiosk: show this survey instead of a page of rest.
                            The event 'kiosk_rest' must trigger it.
              --languages LIST
                            Of a kiosk: languages to choose from, as in en,de,fr.
          -a, --app APP     Only surveys of this app (a kiosk's is 'default' without
                            it); of a form: the app of the session.
          -u, --user USER   The user of the form; without it, the open session's user.
              --anonymous   The form of everybody without a user id.
          -V, --version     Print the version and exit.
          -h, --help        Print this and exit.

        The exit code is 0 if it was answered, 1 if it was dismissed or put off, 66 if there was nothing to ask or it ended
        elsewhere, 69 if no daemon answers, and 71 if there is no display.

        """
}
