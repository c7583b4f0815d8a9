/// The version of Hark, for the daemon, the tool and the manual.
package enum Version {
    package static let current = "0.1.0"
}
