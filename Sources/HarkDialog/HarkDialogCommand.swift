import Glibc
import HarkAsking
import HarkClient
import HarkScreen
import HarkWire

/// The `hark-dialog` program.
package enum HarkDialogCommand {
    /// Runs the command line of this process and ends the process with its exit code.
    package static func main() -> Never {
        Words.speakLanguageOfDesktop()
        Words.prepareLanguages()
        let options: DialogOptions
        do throws(DialogOptions.Fault) {
            options = try DialogOptions(Array(CommandLine.arguments.dropFirst()))
        } catch {
            Say.error("\(error.text)\n'hark-dialog --help' shows how it is used.")
            exit(ExitCode.usage.rawValue)
        }
        if options.wantsHelp { tell(DialogOptions.help) }
        if options.wantsVersion { tell("hark-dialog \(Version.current)\n") }
        guard Application.isPossible() else {
            Say.error("there is no display here (DISPLAY and WAYLAND_DISPLAY name one); 'hark ask' asks on a terminal")
            exit(ExitCode.noDisplay.rawValue)
        }
        var host: Host?
        let application = Application("org.hark.Dialog", name: "Hark") { application in
            let sheet = Style.sheet(Measures(application, options.kind))
            application.style(inHighContrast: Style.contrast) { _ in sheet }
            // Keeps running without a window.
            application.hold()
            let made = Host(application, options)
            host = made
            made.run()
        }
        _ = application.run()
        exit((host?.exitCode ?? .software).rawValue)
    }

    private static func tell(_ text: String) -> Never {
        Say.write(text, to: 1)
        exit(0)
    }
}
